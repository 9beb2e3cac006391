import { isIPv6 } from 'node:net';
import type { Settings } from '../../settings.ts';
import { error, type Finding, ok } from './finding.ts';

const ANSWER_MS = 3000;

/** Asks the service whether it is ready, if one runs by these settings. */
export async function examineService({ operations_host: host, operations_port: port }: Settings): Promise<Finding[]> {
  if (port === 0) return [ok('the operations port is any free one, so a running service was not looked for')];
  const url = `http://${isIPv6(host) ? `[${host}]` : host}:${port}/readyz`;
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { checks = {} } = (await reply.json()) as { checks?: Record<string, string> };
    if (reply.status === 200) return [ok(`a service runs and is ready (${url})`)];
    const failed = Object.keys(checks).filter((name) => checks[name] !== 'ok');
    return [error(`a service runs and is not ready: ${failed.join(', ') || reply.status}`, 'its log says why')];
  } catch {
    return [ok(`no service answers at ${url}`)];
  }
}
