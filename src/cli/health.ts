import type { Command } from 'commander';
import { originsOf } from '../settings/load.ts';
import type { Settings } from '../settings.ts';
import { devServerOf } from './dev-server.ts';
import { CommandFailed } from './failure.ts';
import { print } from './output.ts';
import { queryReadiness } from './readiness.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker health`. @source decision 567 */
export function healthCommand(command: Command): void {
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
