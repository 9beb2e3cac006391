import { isIPv6 } from 'node:net';
import type { Settings } from '../settings.ts';

/** What a running service says of itself. */
export interface Readiness {
  /** Where it was asked. */
  readonly url: string;
  /** Undefined when nothing answered. */
  readonly status: number | undefined;
  /** The names of the checks that failed. */
  readonly failed: readonly string[];
}

/** Supervisors give up sooner or later; this is sooner. */
const ANSWER_MS = 3000;

/** Asks the service that has these settings whether it is ready. */
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

/** Where a listener on this address is reached from its own machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
