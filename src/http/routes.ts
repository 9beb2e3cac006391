import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { headersByName } from './reply.ts';
import type { SecureHeaders } from './request-origin.ts';
import { type Router, sharedRouter } from './router.ts';

/** Any other method is answered like an unknown path. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A file or a page, whole. With an `etag`, a client that has it already gets 304. */
export interface WholeReply {
  /** 200 by default. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The path `/a/*` stands for every path below `/a/`. */
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
