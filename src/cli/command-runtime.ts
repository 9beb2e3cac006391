import type { Command } from 'commander';
import type { Runtime } from '../app/database.ts';
import { findMasterKey } from '../dev/dev-folder.ts';
import { originsOf } from '../settings/load.ts';
import { settingsTable } from '../settings.ts';
import { settingsFrom } from './setting-options.ts';

/**
 * Opens the database that a command works on, by the settings of production. The folder of a development service holds the
 * key that seals the secrets of its demo world: it is taken where no other is given, and for no other database. Callbacks may be
 * there what they may be on the pages of that service.
 */
export async function openCommandRuntime(command: Command): Promise<Runtime> {
  const { openRuntime } = await import('../app/database.ts');
  const input = settingsFrom(command, 'serve', true);
  const own = input.master_key === '' ? findMasterKey(input.data_folder) : undefined;
  if (own !== undefined) {
    const callback_schemes = originsOf(input)?.sources.has('callback_schemes')
      ? input.callback_schemes
      : (settingsTable.callback_schemes.default_dev ?? []);
    const runtime = await openRuntime('serve', { ...input, master_key: own, callback_schemes });
    const sample = await runtime.store.read((tx) => tx.credentials.findSomeApplication());
    if (sample?.demo === 1) return runtime;
    await runtime.store.close();
  }
  return openRuntime('serve', settingsFrom(command, 'serve'));
}
