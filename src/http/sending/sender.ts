import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { boundedCache } from '../../base/bounded-cache.ts';
import { after, every, pause, withTimeout } from '../../base/timers.ts';
import type { OutgoingRequest, Sender, SendFailure, SendResult } from '../../contract/services/sending.ts';
import { allowedAddresses, type IsAllowedAddress, urlError } from './address-rules.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type Network, systemNetwork } from './network.ts';

/** The rules of a sender. */
interface SenderOptions {
  /** Allows receivers on this machine and its networks, without TLS and on any port: for development. */
  readonly allowsPrivate: boolean;
  /** Private ranges that are allowed nevertheless. */
  readonly privateRanges: readonly string[];
  /** The URL of a proxy for all requests; empty for none. Environment variables for proxies are ignored. */
  readonly proxy: string;
  /** The origins of this service. */
  ownOrigins(): readonly string[];
  readonly network?: Network;
}

/** The time limit of an exchange, from name resolution to the end of the response. @source activity 21.4 */
const TOTAL_MS = 10_000;
const LOOKUP_MS = 3000;
/** The number of response bytes that are read at most. */
const BODY_BYTES_MAX = 65_536;
/** How long resolved addresses are reused; an open connection stays at the address it was opened to. */
const LOOKED_UP_MS = 1000;
/** How long unused connections are kept. */
const FORGOTTEN_MS = 60_000;
/** The number of cached routes. */
const ROUTES_MAX = 10_000;

/**
 * Failures whose timing could disclose what exists in networks that only this server can reach.
 * @source decision 480
 */
const DELAYED_FAILURES: ReadonlySet<SendFailure> = new Set([
  'name unknown',
  'address refused',
  'connect timeout',
  'connection refused',
  'connection closed',
]);

/** Loaded with the first request, so that a service starts faster. */
const loadPools = async () => (await import('./connection-pool.ts')).createPool;

/** Sends requests to other servers, such as webhook receivers. @source activity 21.4 */
export function openSender(rules: SenderOptions): Sender {
  const { network = systemNetwork, proxy, ownOrigins, allowsPrivate } = rules;
  const isAllowed = allowedAddresses(rules);
  const connections = new Map<string, ConnectionPool>();
  const lookUps = new Map<string, { readonly at_ms: number; readonly found: Promise<Destination> }>();

  const find = (host: string, bypassesCaches: boolean): Promise<Destination> => {
    const known = lookUps.get(host);
    if (!bypassesCaches && known && performance.now() - known.at_ms < LOOKED_UP_MS) return known.found;
    const found = destinationOf(host, network, isAllowed);
    if (!bypassesCaches) lookUps.set(host, { at_ms: performance.now(), found });
    return found;
  };
  const connectionsOf = async (url: URL, addresses: readonly string[]): Promise<ConnectionPool> => {
    const openPool = await loadPools();
    const key = `${url.origin} ${addresses}`;
    let known = connections.get(key);
    if (!known) {
      known = openPool(url, addresses, { network, proxy });
      connections.set(key, known);
    }
    return known;
  };
  // Most requests go to the URLs of a second ago, so their checks and addresses are reused.
  const routes = boundedCache<string, Route>(ROUTES_MAX);
  /** Finds a route; one that bypasses caches resolves the name again and uses its own connections. */
  const routeOf = async (text: string, bypassesCaches: boolean): Promise<Route | NoRoute> => {
    const error = urlError(text, { allowsPrivate, ownOrigins });
    if (error) return { failed: 'address refused', detail: error.message };
    const url = new URL(text);
    const until_ms = performance.now() + LOOKED_UP_MS;
    const destination = await find(hostOf(url), bypassesCaches);
    if ('failed' in destination) return destination;
    const { addresses } = destination;
    const open = bypassesCaches
      ? (await loadPools())(url, addresses, { network, proxy })
      : await connectionsOf(url, addresses);
    const route = { path: url.pathname + url.search, open, until_ms };
    if (!bypassesCaches) routes.set(text, route);
    return route;
  };
  const stopSweeping = every(FORGOTTEN_MS, () => {
    const before_ms = performance.now() - FORGOTTEN_MS;
    for (const [host, { at_ms }] of lookUps) if (at_ms < before_ms) lookUps.delete(host);
    for (const [text, { until_ms }] of routes) if (until_ms < before_ms) routes.delete(text);
    for (const [key, { usedAt_ms, pool }] of connections) {
      if (usedAt_ms >= before_ms) continue;
      connections.delete(key);
      void pool.close().catch(() => undefined);
    }
  });

  return {
    urlError: (url) => urlError(url, { allowsPrivate, ownOrigins }),
    async send(request) {
      const startedAt_ms = performance.now();
      const { bypassesCaches, url } = request;
      const known = bypassesCaches ? undefined : routes.get(url);
      const isKnown = known !== undefined && known.until_ms > startedAt_ms;
      const route = isKnown ? known : await routeOf(url, bypassesCaches ?? false);
      // A caller waits for requests that bypass caches: how soon one failed would tell them why.
      const failed = async (reason: SendFailure): Promise<void> => {
        const left_ms = network.unreachable_ms - (performance.now() - startedAt_ms);
        if (bypassesCaches && !allowsPrivate && DELAYED_FAILURES.has(reason) && left_ms > 0)
          await pause(Math.ceil(left_ms));
      };
      const timing = (): { duration_ms: number } => ({ duration_ms: Math.round(performance.now() - startedAt_ms) });
      if ('failed' in route) {
        await failed(route.failed);
        return { outcome: 'failed', reason: route.failed, detail: route.detail, addresses: [], ...timing() };
      }
      const { open, path } = route;
      open.usedAt_ms = startedAt_ms;
      const came = await exchange(open.pool, request, path, TOTAL_MS - timing().duration_ms);
      if (bypassesCaches) void open.pool.destroy().catch(() => undefined);
      if (came.outcome === 'failed') await failed(came.reason);
      return { ...came, addresses: open.addresses, ...timing() };
    },
    async close() {
      stopSweeping();
      await Promise.all([...connections.values()].map(({ pool }) => pool.destroy()));
      connections.clear();
    },
  };
}

/** Why a request is not sent at all. */
interface NoRoute {
  readonly failed: SendFailure;
  readonly detail: string;
}

/** How a URL is reached, cached for a while. */
interface Route {
  readonly path: string;
  readonly open: ConnectionPool;
  readonly until_ms: number;
}

type Destination = { readonly addresses: readonly string[] } | NoRoute;

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Resolves a host and checks its addresses. One address that is not allowed refuses them all. */
async function destinationOf(host: string, network: Network, isAllowed: IsAllowedAddress): Promise<Destination> {
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await withTimeout(LOOKUP_MS, network.resolve(host)) : [host];
  } catch (error) {
    return { failed: 'name unknown', detail: (error as Error).message };
  }
  if (addresses.length === 0) return { failed: 'name unknown', detail: `${host} has no address` };
  const refused = addresses.find((address) => !isAllowed(address));
  if (refused !== undefined) return { failed: 'address refused', detail: `${host} leads to ${refused}` };
  return { addresses: [...addresses].sort() };
}

type Came =
  | Omit<Extract<SendResult, { outcome: 'answered' }>, 'duration_ms' | 'addresses'>
  | Omit<Extract<SendResult, { outcome: 'failed' }>, 'duration_ms' | 'addresses'>;

/** Marks exchanges that this side aborted. */
class Ended extends Error {}

const NOTHING = new Uint8Array(0);

function exchange(pool: Dispatcher, request: OutgoingRequest, path: string, ms: number): Promise<Came> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answered: { status: number; headers: Readonly<Record<string, string>> } | undefined;
    let isFinished = false;
    let size = 0;
    const chunks: Uint8Array[] = [];
    const finish = (came: Came): void => {
      if (isFinished) return;
      isFinished = true;
      callOff();
      resolve(came);
    };
    /** Finishes with a truncated response, or with the failure if no response has begun. */
    const finishCut = (reason: SendFailure, detail: string): void => {
      if (!answered) finish({ outcome: 'failed', reason, detail });
      else finish({ outcome: 'answered', ...answered, body: bodyOf(chunks), isCut: true });
    };
    const callOff = after(Math.max(1, ms), () => {
      finishCut('timeout', `no answer within ${TOTAL_MS} ms`);
      controller?.abort(new Ended());
    });
    const options: Dispatcher.DispatchOptions = {
      method: request.method,
      path,
      headers: request.headers,
      body: request.body ?? null,
      blocking: false,
    };
    pool.dispatch(options, {
      onRequestStart(input) {
        controller = input;
        if (isFinished) input.abort(new Ended());
      },
      onResponseStart(_, status, headers) {
        // Informational responses, such as 103, come before the response itself.
        if (status >= 200) answered = { status, headers: firstOf(headers) };
      },
      onResponseData(input, chunk) {
        size += chunk.length;
        if (request.wantsBody) chunks.push(chunk.subarray(0, Math.max(0, BODY_BYTES_MAX - size + chunk.length)));
        if (size <= BODY_BYTES_MAX) return;
        finishCut('not http', 'a body without end');
        input.abort(new Ended());
      },
      onResponseEnd() {
        finish({ outcome: 'answered', ...answered!, body: bodyOf(chunks), isCut: false });
      },
      onResponseError(_, error) {
        finishCut(failureOf(error), error.message);
      },
    });
  });
}

function bodyOf(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 0 ? NOTHING : Buffer.concat(chunks);
}

function firstOf(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const first: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) first[name] = typeof value === 'string' ? value : (value[0] ?? '');
  }
  return first;
}

const TLS_CODE =
  /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED/;

function failureOf(error: Error): SendFailure {
  const { code = '' } = error as { code?: string };
  if (TLS_CODE.test(code)) return 'tls';
  if (/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/.test(code)) return 'connect timeout';
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/.test(code) || /^the proxy answered/.test(error.message))
    return 'connection refused';
  if (error.name === 'HTTPParserError' || /^HPE_/.test(code)) return 'not http';
  return 'connection closed';
}
