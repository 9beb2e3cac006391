import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import type { Store } from '../contract/store/store.ts';
import { settingsFrom } from './setting-options.ts';

/** Runs work on the database of the settings, without a master key: it must not read or write secrets. */
export async function withStore<T>(command: Command, work: (store: Store, now: string) => Promise<T>): Promise<T> {
  const { formatInstant } = await import('../base/instants.ts');
  const { openDriver } = await import('../app/database.ts');
  const { checkSchema } = await import('../storage/core/migrate.ts');
  const { storeOn } = await import('../storage/core/store.ts');
  const driver = await openDriver(settingsFrom(command, 'serve', true));
  const store = storeOn(driver);
  try {
    await checkSchema(driver);
    return await work(store, formatInstant(systemClock.now()));
  } finally {
    await store.close();
  }
}
