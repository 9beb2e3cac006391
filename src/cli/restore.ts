import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../settings.ts';
import { commandRecord } from './command-record.ts';
import { UsageError } from './failure.ts';
import { printLine } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';

/** `barker restore`. */
export function configure(command: Command): void {
  onDatabase(command, 'restore barker-20260302T170455Z.tar.zst --data /var/lib/barker', ['timestamp_window_s'])
    .argument('<file>', 'Archive written by barker backup, from SQLite or PostgreSQL')
    .option('--verify', 'Check the archive without restoring it')
    .option('--stopped-at <time>', 'When the old server answered its last request, if known; ISO 8601 in UTC')
    .action((file: string) => runRestore(command, file));
}

async function runRestore(command: Command, file: string): Promise<void> {
  const { systemClock } = await import('../base/clock.ts');
  const { formatInstant } = await import('../base/instants.ts');
  const { inspectArchive } = await import('../backup/inspect-archive.ts');
  const { configuredMasterKeys, judgeKeys, openCommandObjects, summaryOf } = await import('./backup/recorded-copy.ts');
  const { verify, stoppedAt } = command.opts();
  const stopped = stoppedAt === undefined ? systemClock.now() : Date.parse(stoppedAt);
  if (!Number.isFinite(stopped) || stopped > systemClock.now()) {
    throw new UsageError('--stopped-at takes a time in the past such as 2026-03-02T17:04:55Z');
  }
  const settings = settingsFrom(command, 'serve', true);
  const keys = configuredMasterKeys(settings);
  const examined = await inspectArchive(file, keys);
  for (const line of summaryOf(examined)) printLine(line);
  judgeKeys(examined, keys, verify === true);
  if (verify) return printLine('the archive is valid');
  const { head } = examined;
  if (stopped < Date.parse(head.made_at)) throw new UsageError('--stopped-at is earlier than the backup');
  // Also refuses the last second that the old server could have accepted. @source decision 454
  const requests_not_before = Math.floor(stopped / 1000) + settings.timestamp_window_s + 1;
  const { restore } = await import('../backup/restore.ts');
  const record = commandRecord(command, systemClock.now());
  record.addTarget('archive', resolve(file));
  const restoring = {
    now: systemClock.now(),
    requests_not_before,
    progress: printLine,
    record: record.withOutcome('done'),
  };
  const objects = await openCommandObjects(settings);
  const target = { ...targetOf(settings), objects: objects.store };
  const { appliedSteps } = await restore(file, head, target, restoring).finally(objects.close);
  for (const step of appliedSteps) printLine(`applied ${step}`);
  const since = formatInstant(requests_not_before * 1000);
  printLine(`
Restored to the state of ${head.made_at}.
- Requests signed before ${since} are refused with code 135: they may already have been accepted after the backup.
- Tokens revoked after ${head.made_at} are valid again, and so are replaced keys and old passwords. Users and applications
  suspended or locked since then are active again. Repeat these changes before you start the server.
- All users have to log in again. Recovery codes are no longer valid: users of two-step login have to create new ones.
- Audience and post indexes are rebuilt when the server starts.`);
}

function targetOf({ data_folder: folder, database_url: databaseUrl }: Settings) {
  return { folder, databaseUrl, includesFiles: true };
}
