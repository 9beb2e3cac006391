import { resolve } from 'node:path';
import type { Command } from 'commander';
import { commandRecord } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker copy`. */
export function copyCommand(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .requiredOption('--to <target>', 'A postgres:// address, or a data folder for SQLite')
    .option(
      '--to-data <folder>',
      'With a postgres:// address: the new data folder, if media and nonces should move too',
    )
    .addHelpText(
      'after',
      '\nExample:\n  barker copy --data /var/lib/barker --to postgres://barker@db.example.org/barker',
    )
    .action(() => runCopy(command));
}

async function runCopy(command: Command): Promise<void> {
  const { to, toData } = command.opts();
  const isPostgres = /^postgres(ql)?:\/\//.test(to) && URL.canParse(to);
  if (!isPostgres && (/:\/\//.test(to) || toData !== undefined)) {
    throw new CommandFailed('--to takes a postgres:// address or a folder, --to-data only goes with an address', 2);
  }
  const settings = settingsFrom(command, 'serve', true);
  const folder: string = isPostgres ? (toData ?? settings.data_folder) : to;
  const includesFiles = resolve(folder) !== resolve(settings.data_folder);
  const databaseUrl = isPostgres ? to : '';
  if (databaseUrl === settings.database_url && (isPostgres || !includesFiles)) {
    throw new CommandFailed('--to is the database that would be copied', 2);
  }
  const { copyDatabase } = await import('../backup/restore.ts');
  const { printLine, runRecordedCopy } = await import('./backup/recorded-copy.ts');
  const { sent, appliedSteps } = await runRecordedCopy(command, settings, (source, record) => {
    record.addTarget('database');
    // The copy has the record of its source too, as it was when the rows were read.
    const own = commandRecord(command, source.now);
    own.addTarget('database');
    return copyDatabase(source, { folder, databaseUrl, includesFiles }, own.withOutcome('done'));
  });
  for (const step of appliedSteps) printLine(`applied ${step}`);
  printLine('every table has the same rows as its source (counts and SHA-256 compared)');
  printLine(
    includesFiles
      ? `media and used nonces are in ${folder}`
      : `media and used nonces stay in ${folder}, which the new database is served with`,
  );
  printLine(
    isPostgres
      ? 'set database_url to the new address; do not serve the old database any more'
      : 'serve the new data folder without database_url; do not serve the old database any more',
  );
  if (sent.missing.length > 0) {
    throw new CommandFailed(
      `copied, but the data folder lacks the media of ${sent.missing.length} uploads (the first is ${sent.missing[0]})`,
    );
  }
}
