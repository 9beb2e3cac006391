import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server as PlainServer, RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';

/** The files of a certificate and its key, and the flags that named them. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly flags: { readonly cert: string; readonly key: string };
}

/** Creates https servers. */
export interface Tls {
  server(options: ServerOptions & { readonly handshakeTimeout: number }, answer: RequestListener): PlainServer;
  /** The TCP connection below a TLS socket; undefined once it is closed. */
  rawSocketOf(socket: Socket): Socket | undefined;
  /** When the certificate expires, in Unix seconds. */
  expiresAt_s(): number;
  /** Reads the files again; if they are invalid, the previous certificate stays in use. @source decision 112 */
  reload(): void;
}

interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly leaf: X509Certificate;
}

const OPTIONS = { minVersion: 'TLSv1.2' } as const;
/** How long before expiry the log warns. @source decision 111 */
const SOON_MS = 14 * 86_400_000;

/** Reads the certificate and its key. @throws Error that names the flag of an unusable file */
export function openTls(files: TlsFiles, clock: Clock, log: Logger): Tls {
  let identity = readIdentity(files);
  const servers = new Set<Server>();
  const carriers = new Map<string, Socket>();
  warn(identity, clock, log);
  return {
    server(options, answer) {
      const server = createServer({ ...OPTIONS, ...options, cert: identity.cert, key: identity.key }, answer);
      // Prepended, to see the raw socket before the TLS handshake begins.
      server.prependListener('connection', (carrier: Socket) => {
        const key = peerOf(carrier);
        carriers.set(key, carrier);
        carrier.once('close', () => carriers.delete(key));
      });
      servers.add(server);
      server.once('close', () => servers.delete(server));
      return server;
    },
    rawSocketOf: (socket) => carriers.get(peerOf(socket)),
    expiresAt_s: () => identity.leaf.validToDate.getTime() / 1000,
    reload() {
      try {
        identity = readIdentity(files);
      } catch (error) {
        log.error({ err: error }, 'could not reload the certificate; the previous one stays in use');
        return;
      }
      for (const server of servers) server.setSecureContext({ ...OPTIONS, cert: identity.cert, key: identity.key });
      log.info({ certificate: describe(identity.leaf) }, 'certificate reloaded');
      warn(identity, clock, log);
    },
  };
}

function readIdentity({ cert: certPath, key: keyPath, flags }: TlsFiles): Identity {
  const cert = readText(certPath, flags.cert);
  const key = readText(keyPath, flags.key);
  const leaf = attempt(() => new X509Certificate(cert));
  if (!leaf) throw new Error(`${flags.cert}: ${certPath} contains no PEM certificate`);
  if (/ENCRYPTED/.test(key)) throw new Error(`${flags.key}: the key in ${keyPath} is encrypted; remove its passphrase`);
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) throw new Error(`${flags.key}: ${keyPath} contains no PEM private key`);
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new Error(`${flags.key}: the key in ${keyPath} does not match the certificate in ${certPath}`);
  }
  // Finds errors in the rest of the chain, and certificates that OpenSSL rejects.
  try {
    createSecureContext({ ...OPTIONS, cert, key });
  } catch (error) {
    throw new Error(`${flags.cert}: ${certPath} cannot be used: ${(error as Error).message}`);
  }
  return { cert, key, leaf };
}

function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${flag}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Warns of a certificate that has expired, expires soon or is not valid yet. @source decision 111 */
function warn({ leaf }: Identity, clock: Clock, log: Logger): void {
  const certificate = describe(leaf);
  const left_ms = leaf.validToDate.getTime() - clock.now();
  if (left_ms < 0) log.warn({ certificate }, 'the certificate has expired: clients will refuse it');
  else if (left_ms < SOON_MS) log.warn({ certificate }, 'the certificate expires soon');
  else if (leaf.validFromDate.getTime() > clock.now()) log.warn({ certificate }, 'the certificate is not valid yet');
}

/** Describes a certificate for the log. */
function describe(leaf: X509Certificate): Record<string, string | undefined> {
  return {
    names: leaf.subjectAltName,
    from: formatInstant(leaf.validFromDate.getTime()),
    until: formatInstant(leaf.validToDate.getTime()),
  };
}

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
