import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import type { DevFile } from '../dev/dev-folder.ts';
import type { Settings } from '../settings.ts';
import { sendStreaming } from './send.ts';

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

/** Queries the readiness probe of the server with these settings, or of a development server. */
export async function queryReadiness(
  { operations_host, operations_port }: Settings,
  dev?: DevFile | undefined,
): Promise<Readiness> {
  const url = `${dev?.base_url ?? `http://${reachableHost(operations_host)}:${operations_port}`}/readyz`;
  const probe = { method: 'GET', url, form: undefined, json: undefined };
  try {
    const reply = await sendStreaming(probe, '', dev?.tls_ca, AbortSignal.timeout(ANSWER_MS));
    const { checks = {} } = JSON.parse(await text(reply)) as { checks?: Readonly<Record<string, string>> };
    return { url, status: reply.statusCode, failed: Object.keys(checks).filter((name) => checks[name] !== 'ok') };
  } catch {
    return { url, status: undefined, failed: [] };
  }
}

/** The host in URLs by which this machine reaches a listener. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
