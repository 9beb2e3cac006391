import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { didYouMean } from '../../base/text.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';
import { inLanguageOf, languageChoice } from '../../http/pages/page-language.ts';
import { readBody } from '../../http/read-body.ts';
import { acceptsOnlyJson, createRouter } from '../../http/routes.ts';
import { type DevCall, DevError, DevReply, devCall, type WriteReply } from './call.ts';

/** Maximum size of a JSON body. */
const JSON_BYTES_MAX = 16 * 2 ** 20;

/** Maximum size of a form. */
const FORM_BYTES_MAX = 256 * 1024;

/** Longer paths get no suggestion, because the comparison would be slow. */
const COMPARED_MAX = 200;

/**
 * Creates the handler of the calls below `/_dev`, which `GET /_dev` lists. The handler returns false, without any effect,
 * for other paths.
 */
export function createSurface(calls: readonly DevCall[], rules: GuardRules, log: Logger) {
  const list: DevCall = devCall('GET /_dev/', 'Lists these calls.', () => ({
    calls: [list, ...calls].map(({ method, path, about }) => ({ method, path, about })),
  }));
  const byPath = new Map<string, Map<string, DevCall>>();
  for (const call of [list, ...calls]) {
    const methods = byPath.get(call.path) ?? new Map<string, DevCall>();
    byPath.set(call.path, methods.set(call.method, call));
  }
  const find = createRouter(byPath.keys());

  async function perform(listener: ToolsListener, request: IncomingMessage, target: string): Promise<DevReply> {
    try {
      const route = find(target);
      const methods = route && byPath.get(route.path);
      const { takesForm } = methods?.get(request.method!) ?? {};
      guard(request, rules, takesForm);
      if (!methods) {
        const [path = ''] = target.split('?', 1);
        const near = path.length > COMPARED_MAX ? '' : didYouMean(path, byPath.keys());
        throw new DevError(404, 'CALL_UNKNOWN', `there is no such call${near || '; GET /_dev lists all'}`);
      }
      const call = methods.get(request.method!);
      if (!call) {
        const allowed = [...methods.keys()].join(', ');
        throw new DevError(405, 'METHOD_UNKNOWN', `${request.method} is not among ${allowed}`);
      }
      const result = await call.perform({
        listener,
        request,
        path: route.params,
        query: new URLSearchParams(target.split('?', 2)[1]),
        body: takesForm ? await formBody(request) : await jsonBody(request),
      });
      if (result instanceof DevReply) return result;
      return result === undefined ? new DevReply(204, undefined) : new DevReply(200, result);
    } catch (error) {
      if (error instanceof DevError) {
        const { status, code, message, field } = error;
        return new DevReply(status, { error: { code, message, field } });
      }
      log.error({ err: error, path: request.url }, 'a developer tool failed');
      const message = error instanceof Error ? error.message : String(error);
      return new DevReply(500, { error: { code: 'INTERNAL', message } });
    }
  }

  return (listener: ToolsListener, request: IncomingMessage, response: ServerResponse): boolean => {
    const target = isForHome(request, rules) ? '/_dev/home' : request.url!;
    if (!/^\/_dev(?:[/?]|$)/.test(target)) return false;
    void inLanguageOf(request, 'en', async () => {
      const choice = languageChoice(request, request.socket instanceof TLSSocket);
      const { location = '', cookie = '' } = choice ?? {};
      send(
        response,
        choice
          ? new DevReply(303, undefined, { location, 'set-cookie': cookie })
          : await perform(listener, request, target),
      );
    });
    return true;
  };
}

/** Whether somebody on this machine opens `/`. */
function isForHome(request: IncomingMessage, rules: GuardRules): boolean {
  if (request.method !== 'GET' || request.url !== '/' || acceptsOnlyJson(request.headers.accept)) return false;
  try {
    guard(request, rules);
    return true;
  } catch {
    return false;
  }
}

/** @throws DevError if it is too large */
function bodyOf(request: IncomingMessage, max: number): Promise<Buffer> {
  return readBody(request, max).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw new DevError(413, 'BODY_TOO_LARGE', `the body is larger than ${max} bytes`);
  });
}

async function formBody(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await bodyOf(request, FORM_BYTES_MAX)).toString());
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return undefined;
  const bytes = await bodyOf(request, JSON_BYTES_MAX);
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new DevError(400, 'NOT_JSON', 'the body is not JSON');
  }
}

function send(response: ServerResponse, { status, headers, body }: DevReply): void {
  const fixed = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  if (typeof body === 'function') {
    response.writeHead(status, { ...fixed, ...headers });
    (body as WriteReply)(response);
    return;
  }
  if (body === undefined) {
    response.writeHead(status, { ...fixed, ...headers }).end();
    return;
  }
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const content = isText ? body : `${JSON.stringify(body, null, 2)}\n`;
  response.writeHead(status, {
    ...fixed,
    ...(!isText && { 'content-type': 'application/json; charset=utf-8' }),
    'content-length': String(Buffer.byteLength(content)),
    ...headers,
  });
  response.end(content);
}

/** The restrictions on callers. */
export interface GuardRules {
  /** Accepted host names besides those of the loopback interface: those of the certificate. */
  readonly hosts: readonly string[];
  /** Required unless the service only listens on the loopback interface. */
  readonly token: string;
  readonly isLoopback: boolean;
}

/**
 * Rejects requests of foreign pages, which could reach a service on this machine through the developer's browser, also by
 * DNS rebinding. Any page can send a form, so forms must come from a page of this server.
 * @throws DevError
 * @source decision 861
 */
export function guard(request: IncomingMessage, rules: GuardRules, takesForm = false): void {
  const { host = '', origin, authorization = '' } = request.headers;
  const name = host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (!isLoopbackName(name) && !rules.hosts.includes(name)) {
    throw new DevError(403, 'FOREIGN_HOST', `${name || 'no host'} is not a name of this service; call it as localhost`);
  }
  if (origin !== undefined && !/^https?:$/.test(schemeOf(origin, host))) {
    throw new DevError(403, 'FOREIGN_ORIGIN', `pages of ${origin} may not call this service`);
  }
  if (!rules.isLoopback && !isToken(authorization, rules.token)) {
    throw new DevError(
      401,
      'TOKEN_NEEDED',
      'the service can be reached from other machines: send operator_token of dev.json as a bearer token',
    );
  }
  const hasBody = request.method === 'POST' || request.method === 'PUT';
  if (hasBody && takesForm) {
    checkForm(request);
    return;
  }
  if (hasBody && !/^application\/(?:json|x-tar)\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new DevError(415, 'NOT_JSON', 'send Content-Type: application/json');
  }
}

/** The origin, if sent, has been checked before. */
function checkForm({ headers }: IncomingMessage): void {
  const { origin, 'sec-fetch-site': site = 'same-origin', 'content-type': type = '' } = headers;
  if (origin === undefined || site !== 'same-origin') {
    throw new DevError(403, 'FOREIGN_ORIGIN', 'only pages of this service may send forms');
  }
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new DevError(415, 'NOT_FORM', 'send Content-Type: application/x-www-form-urlencoded');
  }
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** The scheme of an origin with this host, such as `http:`; empty for other origins. */
function schemeOf(origin: string, host: string): string {
  const url = URL.parse(origin);
  return url?.host === host.toLowerCase() ? url.protocol : '';
}

function isToken(authorization: string, token: string): boolean {
  const presented = Buffer.from(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '');
  const expected = Buffer.from(token);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
