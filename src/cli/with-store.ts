import type { Command } from 'commander';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { keptClock } from './kept-clock.ts';
import { settingsFrom } from './setting-options.ts';

/**
 * Runs work on the database of the settings, with the clock of its service, and without a master key: it must not read or
 * write secrets.
 */
export async function withStore<T>(command: Command, work: (store: Store, clock: Clock) => Promise<T>): Promise<T> {
  const { openDriver } = await import('../app/database.ts');
  const { checkSchema } = await import('../storage/core/migrate.ts');
  const { storeOn } = await import('../storage/core/store.ts');
  const settings = settingsFrom(command, 'serve', true);
  const clock = keptClock(settings);
  const driver = await openDriver(settings);
  const store = storeOn(driver);
  try {
    await checkSchema(driver);
    return await work(store, clock);
  } finally {
    await store.close();
  }
}
