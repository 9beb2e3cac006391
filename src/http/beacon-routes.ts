import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdServing } from '../contract/services/serving.ts';
import type { PipelineDependencies } from './exchange.ts';
import { headersByName } from './reply.ts';
import type { Routes } from './routes.ts';

/** The dependencies of beacon routes. */
interface BeaconDependencies extends PipelineDependencies {
  readonly serving: Pick<AdServing, 'impression' | 'click'>;
}

/** Prevents caching, referrers and scripts; any page may load the reply. */
const HARMLESS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
} as const;

type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly text?: string;
};

/**
 * Adds the beacon routes: `/e/i/TOKEN` reports an impression; `/e/c/TOKEN` reports a click and redirects to the target
 * in the token. Neither sets a cookie, and a bad token reveals nothing.
 * @source decision 980
 */
export function addBeaconRoutes(routes: Routes, deps: BeaconDependencies): void {
  const { serving, environment } = deps;
  const route = (kind: string, answer: (token: string, isSilent: boolean) => Reply): void => {
    routes.all(`${kind}*`, (request, response) => {
      const token = request.url!.split('?', 1)[0]!.slice(kind.length);
      const { method } = request;
      const answered =
        refusal(deps, request) ??
        (method === 'GET' || method === 'HEAD' || method === 'POST'
          ? answer(token, method === 'HEAD' || isPrefetch(request))
          : plain(405, 'Use GET or POST', { allow: 'GET, HEAD, POST' }));
      // `navigator.sendBeacon` and the `ping` of links send POST, and follow no redirect.
      const sent = method === 'POST' && answered.status === 302 ? { status: 204 } : answered;
      send(deps, request, response, sent);
      deps.observer.pageVisited(`${kind}*`, known(method), sent.status);
    });
  };
  route('/e/i/', (token, isSilent) => {
    serving.impression({ environment, token, isSilent });
    return { status: 204 };
  });
  route('/e/c/', (token, isSilent) => {
    const target = serving.click({ environment, token, isSilent });
    return target === undefined
      ? plain(404, 'This link does not work any more')
      : { status: 302, headers: { location: target } };
  });
}

/** The refusal of forbidden plain HTTP or of too many requests from an address; undefined if the request is accepted. */
function refusal(
  { originsOf, addressLimiter, addressOf }: BeaconDependencies,
  request: IncomingMessage,
): Reply | undefined {
  try {
    originsOf(request);
  } catch {
    return plain(403, 'SSL is required');
  }
  const wait_s = addressLimiter?.take(addressOf(request));
  return wait_s === undefined ? undefined : plain(429, 'Too many requests', { 'retry-after': wait_s });
}

/** Whether a browser prefetches the URL without a user action. */
function isPrefetch({ headers }: IncomingMessage): boolean {
  const { purpose } = headers;
  const said = [headers['sec-purpose'], purpose, headers['x-purpose'], headers['x-moz']];
  return said.some((each) => /prefetch|prerender|preview/i.test(String(each ?? '')));
}

function plain(status: number, text: string, headers: Reply['headers'] = {}): Reply {
  return { status, text, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } };
}

function send(deps: BeaconDependencies, request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { status, headers = {}, text = '' } = reply;
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...HARMLESS, ...headers, ...length, ...headersByName(deps.secureHeaders(request)) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

function known(method = ''): string {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'other';
}
