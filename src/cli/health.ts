import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { DevFile } from '../dev/dev-folder.ts';
import { originsOf } from '../settings/load.ts';
import type { Settings } from '../settings.ts';
import { devServerOf } from './dev-server.ts';
import { CommandFailed } from './failure.ts';
import { print } from './output.ts';
import { sendStreaming } from './send.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker health`. @source decision 567 */
export function configure(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'operations_host', 'operations_port'])
    .addHelpText('after', '\nExit code: 0 if the server is ready, otherwise 1.\n\nExample:\n  barker health')
    .action(async () => {
      await checkHealth(settingsFrom(command, 'serve', true));
      print('ready\n');
    });
}

async function checkHealth(settings: Settings): Promise<void> {
  const isGiven = originsOf(settings)?.sources.has('operations_port');
  const { url, status, failed } = await queryReadiness(settings, isGiven ? undefined : devServerOf(settings)?.file());
  if (status === undefined) throw new CommandFailed(`no server answers at ${url}`);
  if (status !== 200) throw new CommandFailed(`the server is not ready: ${failed.join(', ') || `status ${status}`}`);
}

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
