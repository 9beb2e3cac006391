import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import { headersByName } from './reply.ts';
import type { SecureHeaders } from './request-origin.ts';

/** Other methods get the reply of an unknown path. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A whole file or page. With an `etag`, a client whose copy is current gets 304. */
export interface WholeReply {
  /** 200 by default. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A path; `/a/*` matches every path below `/a/`. */
type Path = string;

/** The paths of a listener that are neither operations nor pages, such as files, beacons and probes. */
export class Routes {
  readonly #secureHeaders: SecureHeaders;
  readonly #answers = new Map<Path, (request: IncomingMessage, response: ServerResponse) => boolean>();
  #find: Router | undefined;

  constructor(secureHeaders: SecureHeaders) {
    this.#secureHeaders = secureHeaders;
  }

  /** Answers every method. */
  all(path: Path, answer: RequestListener): void {
    this.#answers.set(path, (request, response) => {
      void answer(request, response);
      return true;
    });
  }

  /** Answers POST. */
  post(path: Path, answer: RequestListener): void {
    this.#answers.set(path, (request, response) => {
      if (request.method !== 'POST') return false;
      void answer(request, response);
      return true;
    });
  }

  /** Answers GET and HEAD; without a reply, as an unknown path. */
  get(path: Path, replyTo: (request: IncomingMessage) => WholeReply | undefined): void {
    this.#answers.set(path, (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false;
      const reply = replyTo(request);
      if (reply) sendWhole(request, response, reply, this.#secureHeaders(request));
      return reply !== undefined;
    });
  }

  /** Answers a request; returns false, and does nothing, when no route has its path and method. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (!METHODS.has(request.method!)) return false;
    this.#find ??= sharedRouter([...this.#answers.keys()]);
    const route = this.#find(request.url!);
    return route !== undefined && this.#answers.get(route.path)!(request, response);
  }
}

/** Returns the strong `etag` of a content. */
export function etagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

function sendWhole(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, headers: own, body }: WholeReply,
  secure: readonly string[],
): void {
  const headers = { ...own, ...headersByName(secure) };
  if (own.etag !== undefined && request.headers['if-none-match'] === own.etag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The match of a request target: the path template, and the decoded values of its parameters. */
export interface Route {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the path that matches a request target; undefined for an unknown path or a malformed escape. */
export type Router = (target: string) => Route | undefined;

const OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 16_384 } as const;

/** Query parameters are parsed later, by the handlers. */
const noQuery = (): object => ({});

const routers = new Map<string, Router>();

/** Returns the router of these paths, which listeners with the same paths share. */
export function sharedRouter(paths: readonly string[]): Router {
  const key = paths.join(' ');
  const router = routers.get(key) ?? createRouter(paths);
  routers.set(key, router);
  return router;
}

/**
 * Creates a router of paths with `:parameters`, where literal segments win. A path is added once for all methods: adding it
 * for each would dominate the startup time of a listener.
 */
export function createRouter(paths: Iterable<string>): Router {
  const router = findMyWay({ ...OPTIONS, querystringParser: noQuery });
  for (const path of paths) router.on('GET', path, () => {}, path);
  return (target) => {
    const found = router.find('GET', target);
    return found ? { path: found.store, params: found.params as Record<string, string> } : undefined;
  };
}

/** Whether an `accept` header names JSON but not HTML. @source authentication 6.5 */
export function acceptsOnlyJson(accept = ''): boolean {
  return /application\/json/i.test(accept) && !/text\/html/i.test(accept);
}

/**
 * Whether an `accept` header names HTML, as browsers do; `*` alone does not count, because programs send it.
 * @source decision 542
 */
export function acceptsHtml(accept = ''): boolean {
  return /text\/html/i.test(accept);
}
