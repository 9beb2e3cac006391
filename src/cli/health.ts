import type { Command } from 'commander';
import type { Settings } from '../settings.ts';
import { CommandFailed } from './failure.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** Supervisors give up sooner or later; this is sooner. */
const ANSWER_MS = 4000;

/** `barker health`. */
export function healthCommand(command: Command): void {
  addSettings(command, 'serve', ['operations_host', 'operations_port'])
    .addHelpText('after', '\nExits with 0 when the service is ready, otherwise with 1.\n\nExample:\n  barker health')
    .action(async () => {
      await checkHealth(settingsFrom(command, 'serve', true));
      process.stdout.write('ready\n');
    });
}

interface Readiness {
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

/** Asks `/readyz` of the service that has these settings; fails when it is not ready. */
async function checkHealth({ operations_host: host, operations_port: port }: Settings): Promise<void> {
  const url = `http://${reachable(host)}:${port}/readyz`;
  const reply = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: Error) => {
    const reason = error.name === 'TimeoutError' ? 'does not answer' : 'cannot be reached';
    throw new CommandFailed(`the service ${reason} at ${url}`);
  });
  if (reply.ok) return;
  const { checks } = (await reply.json().catch(() => ({ checks: {} }))) as Readiness;
  const failed = Object.keys(checks).filter((name) => checks[name] === 'failed');
  throw new CommandFailed(`the service is not ready: ${failed.join(', ') || `status ${reply.status}`}`);
}

/** Where a listener on this address is reached from its own machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
