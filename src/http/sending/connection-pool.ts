import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Client, Pool } from 'undici';
import type { Network } from './network.ts';

/** Pooled connections to one origin, pinned to addresses that passed the check; the name is never resolved again. */
export interface ConnectionPool {
  readonly pool: Pool;
  readonly addresses: readonly string[];
  usedAt_ms: number;
}

const CONNECT_MS = 3000;
/** How long an idle connection is kept open. */
const IDLE_MS = 15_000;

/**
 * Creates a pool without opening connections. TLS verifies the name of the host, whichever address answers.
 * @source activity 21.4
 */
export function createPool(
  url: URL,
  addresses: readonly string[],
  { network, proxy }: { readonly network: Network; readonly proxy: string },
): ConnectionPool {
  const pool = new Pool(url.origin, {
    connect: proxy === '' ? directly(url, addresses, network) : through(proxy, url, addresses),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { pool, addresses, usedAt_ms: performance.now() };
}

const SECURE = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;

function directly(url: URL, addresses: readonly string[], network: Network): buildConnector.connector {
  const port = portOf(url);
  const dialled = addresses.map((address) => network.dial(address, port));
  const list = dialled.map(({ address }) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all) done(null, list);
    else done(null, list[0]!.address, list[0]!.family);
  };
  const connect = buildConnector({ timeout: CONNECT_MS, allowH2: false, lookup, ...SECURE });
  // A numeric host is never resolved: it is the checked address itself.
  return (options, done) => connect({ ...options, port: String(dialled[0]!.port) }, done);
}

/** Connects through a proxy, which receives the checked address and not the name: it might resolve that differently. */
function through(proxy: string, url: URL, addresses: readonly string[]): buildConnector.connector {
  const { origin, username, password } = new URL(proxy);
  const secure = buildConnector({ timeout: CONNECT_MS, allowH2: false, ...SECURE });
  const [address] = addresses as readonly [string];
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${portOf(url)}`;
  const headers: Record<string, string> =
    username === ''
      ? {}
      : { 'proxy-authorization': `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}` };
  return (options, done) => {
    const client = new Client(origin, { connectTimeout: CONNECT_MS, headersTimeout: CONNECT_MS, allowH2: false });
    // undici detaches the socket on CONNECT; destroy the rest of the client when it closes.
    const end = (): void => void client.destroy().catch(() => undefined);
    client.connect({ path: target, headers: { host: target, ...headers } }, (error, answer) => {
      if (error) {
        end();
        done(error, null);
      } else if (answer.statusCode !== 200) {
        answer.socket.destroy();
        end();
        done(new Error(`the proxy answered ${answer.statusCode}`), null);
      } else {
        answer.socket.once('close', end);
        const socket = answer.socket as import('node:net').Socket;
        if (url.protocol === 'https:') secure({ ...options, httpSocket: socket }, done);
        else done(null, socket);
      }
    });
  };
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
