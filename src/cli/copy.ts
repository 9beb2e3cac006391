import { resolve } from 'node:path';
import type { Command } from 'commander';
import { commandRecord } from './command-record.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { printLine } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';

/** `barker copy`. @source decision 458 */
export function configure(command: Command): void {
  onDatabase(command, 'copy --data /var/lib/barker --to postgres://barker@db.example.org/barker')
    .requiredOption('--to <target>', 'Target: a postgres:// URL, or a data folder for SQLite')
    .option('--to-data <folder>', 'With a postgres:// URL: also copy media and nonces to this data folder')
    .action(() => runCopy(command));
}

async function runCopy(command: Command): Promise<void> {
  const { to, toData } = command.opts();
  const isPostgres = /^postgres(ql)?:\/\//.test(to) && URL.canParse(to);
  if (!isPostgres && (/:\/\//.test(to) || toData !== undefined)) {
    throw new UsageError('--to takes a postgres:// URL or a folder; --to-data needs a URL');
  }
  const settings = settingsFrom(command, 'serve', true);
  const folder: string = isPostgres ? (toData ?? settings.data_folder) : to;
  const includesFiles = resolve(folder) !== resolve(settings.data_folder);
  const databaseUrl = isPostgres ? to : '';
  if (databaseUrl === settings.database_url && (isPostgres || !includesFiles)) {
    throw new UsageError('--to names the source database');
  }
  const { secureRandom } = await import('../base/random.ts');
  const { folderObjects } = await import('../storage/objects/folder-objects.ts');
  // Objects of a store of their own stay in it.
  const hasMedia = includesFiles && settings.object_store === '';
  const objects = hasMedia ? folderObjects(folder, secureRandom) : undefined;
  const { copyDatabase } = await import('../backup/restore.ts');
  const { runRecordedCopy } = await import('./backup/recorded-copy.ts');
  const { sent, appliedSteps } = await runRecordedCopy(command, settings, (source, record) => {
    record.addTarget('database');
    // The copy also contains the audit record of its source, as it was when the rows were read.
    const own = commandRecord(command, source.now);
    own.addTarget('database');
    return copyDatabase(source, { folder, databaseUrl, includesFiles, objects }, own.withOutcome('done'));
  });
  for (const step of appliedSteps) printLine(`applied ${step}`);
  printLine('verified: every table has the same rows as its source (counts and SHA-256)');
  printLine(
    includesFiles
      ? `${hasMedia ? 'media and used nonces are' : 'used nonces are'} in ${folder}`
      : `media and used nonces stay in ${folder}; keep using this data folder with the new database`,
  );
  printLine(
    isPostgres
      ? 'now set database_url to the new URL, and do not start a server on the old database again'
      : 'now start the server on the new data folder without database_url, and not on the old database again',
  );
  if (sent.missing.length > 0) {
    throw new CommandFailed(
      `copied, but media files of ${sent.missing.length} uploads are missing from the data folder (first: ${sent.missing[0]})`,
    );
  }
}
