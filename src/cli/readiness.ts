import { isIPv6 } from 'node:net';
import type { Settings } from '../settings.ts';

/** The readiness of a server. */
export interface Readiness {
  /** The URL of the probe. */
  readonly url: string;
  /** Undefined when no server answered. */
  readonly status: number | undefined;
  /** The names of the checks that failed. */
  readonly failed: readonly string[];
}

/** Shorter than the usual timeouts of supervisors. */
const ANSWER_MS = 3000;

/** Queries the readiness probe of the server with these settings. */
export async function queryReadiness({ operations_host, operations_port }: Settings): Promise<Readiness> {
  const url = `http://${reachable(operations_host)}:${operations_port}/readyz`;
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { checks = {} } = (await reply.json()) as { checks?: Readonly<Record<string, string>> };
    return { url, status: reply.status, failed: Object.keys(checks).filter((name) => checks[name] !== 'ok') };
  } catch {
    return { url, status: undefined, failed: [] };
  }
}

/** The address by which this machine reaches a listener. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
