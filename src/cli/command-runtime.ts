import type { Command } from 'commander';
import type { Runtime } from '../app/database.ts';
import { systemClock } from '../base/clock.ts';
import { devServerOf } from './dev-server.ts';
import { keptClock } from './kept-clock.ts';
import { settingsFrom } from './setting-options.ts';

/**
 * Opens the database that a command works on, with the production settings. Without a master key, the key in the data
 * folder of a development server is used, but only for the database of its demo world; callback rules are then those of
 * that server.
 * @source decision 606
 */
export async function openCommandRuntime(command: Command): Promise<Runtime> {
  const { openRuntime } = await import('../app/database.ts');
  const input = settingsFrom(command, 'serve', true);
  const clocks = { clock: keptClock(input), wallClock: systemClock };
  const own = devServerOf(input);
  if (own) {
    const runtime = await openRuntime('serve', own.settings, clocks);
    const sample = await runtime.store.read((tx) => tx.credentials.findSomeApplication());
    if (sample?.demo === 1) return runtime;
    await runtime.store.close();
  }
  return openRuntime('serve', settingsFrom(command, 'serve'), clocks);
}
