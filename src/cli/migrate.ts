import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import type { Settings } from '../settings.ts';
import type { Driver } from '../storage/core/driver.ts';
import { commandRecord } from './command-record.ts';
import { print } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';

/** `barker migrate`. @source decision 596, 610, 831 */
export function configure(command: Command): void {
  onDatabase(command, 'migrate --dry-run --data /var/lib/barker')
    .option('--dry-run', 'List pending migrations without applying them')
    .option('--no-copy', 'Do not back up a SQLite database first')
    .action(() => runMigrate(command));
}

async function runMigrate(command: Command): Promise<void> {
  const { newerMigrations, pendingMigrations } = await import('../storage/core/migrate.ts');
  const { upgradeSchema } = await import('../app/database.ts');
  const { dryRun = false, copy } = command.opts();
  const settings = settingsFrom(command, 'serve', true);
  const driver = await open(settings, dryRun);
  const now = systemClock.now();
  const record = commandRecord(command, now);
  record.addTarget('schema');
  try {
    const upgraded = dryRun
      ? undefined
      : await upgradeSchema(driver, settings, now, { withCopy: copy, record: record.withOutcome('done') });
    if (upgraded?.copyPath) print(`copied the database to ${upgraded.copyPath}\n`);
    const steps = upgraded?.appliedSteps ?? (await pendingMigrations(driver));
    for (const step of steps) print(`${dryRun ? 'would apply' : 'applied'} ${step}\n`);
    if (steps.length > 0) return;
    const newer = await newerMigrations(driver);
    if (newer.length === 0) print('the schema is up to date\n');
    else print(`the schema is of a newer version, and works with this one: ${newer.join(', ')}\n`);
  } finally {
    await driver.close();
  }
}

async function open(settings: Settings, dryRun: boolean): Promise<Driver> {
  const { findMissingFile, openDriver } = await import('../app/database.ts');
  if (!dryRun || !findMissingFile(settings)) return openDriver(settings);
  const { openSqlite } = await import('../storage/core/sqlite.ts');
  return openSqlite({ file: ':memory:' });
}
