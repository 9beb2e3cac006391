import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ArchiveInspection, MasterKeys } from '../backup/inspect-archive.ts';
import type { Settings } from '../settings.ts';
import { commandRecord } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import { print, printError } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker restore`. */
export function restoreCommand(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url', 'timestamp_window_s'])
    .argument('<file>', 'An archive that barker backup wrote, of either database')
    .option('--verify', 'Check the archive and write nothing')
    .option('--stopped-at <time>', 'When the old service answered its last request, if you know; ISO 8601 in UTC')
    .addHelpText('after', '\nExample:\n  barker restore barker-20260302T170455Z.tar.zst --data /var/lib/barker')
    .action((file: string) => runRestore(command, file));
}

async function runRestore(command: Command, file: string): Promise<void> {
  const { systemClock } = await import('../base/clock.ts');
  const { formatInstant } = await import('../base/instants.ts');
  const { inspectArchive } = await import('../backup/inspect-archive.ts');
  const { configuredMasterKeys, printLine } = await import('./backup/recorded-copy.ts');
  const { verify, stoppedAt } = command.opts();
  const stopped = stoppedAt === undefined ? systemClock.now() : Date.parse(stoppedAt);
  if (!Number.isFinite(stopped) || stopped > systemClock.now()) {
    throw new CommandFailed('--stopped-at takes a time of the past such as 2026-03-02T17:04:55Z', 2);
  }
  const settings = settingsFrom(command, 'serve', true);
  const keys = configuredMasterKeys(settings);
  const examined = await inspectArchive(file, keys);
  for (const line of summaryOf(examined)) printLine(line);
  judgeKeys(examined, keys, verify === true);
  if (verify) return printLine('the archive is sound');
  const { head } = examined;
  if (stopped < Date.parse(head.made_at)) throw new CommandFailed(`--stopped-at is before the backup was made`, 2);
  // The last second that the old service could accept is refused too.
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
  const { appliedSteps } = await restore(file, head, targetOf(settings), restoring);
  for (const step of appliedSteps) printLine(`applied ${step}`);
  const since = formatInstant(requests_not_before * 1000);
  printLine(`
Restored to the state of ${head.made_at}.
- Requests signed before ${since} are refused with code 135: they may have been accepted since the backup already.
- Tokens that were revoked after ${head.made_at} are valid again. So are keys that were replaced, passwords that were
  changed, and users and applications that were suspended or locked after it. Repeat these changes before you serve.
- All users have to log in again, and logins under way have to begin again. Recovery codes have ended: users of two-step
  login make new ones.
- Indexes of audiences and posts are built when the service starts.`);
}

function targetOf({ data_folder: folder, database_url: databaseUrl }: Settings) {
  return { folder, databaseUrl, includesFiles: true };
}

function summaryOf({ head, contents }: ArchiveInspection): string[] {
  const { count, bytes } = contents.files;
  const rows = Object.values(contents.tables).reduce((total, table) => total + table.rows, 0);
  return [
    `backup of ${head.made_at} by release ${head.release}, from ${head.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
    `schema: ${head.steps.length} steps, the last is ${head.steps.at(-1)}`,
    `rows: ${rows} of ${Object.keys(contents.tables).length} tables`,
    `files: ${count} with ${bytes} bytes`,
  ];
}

/** A restore with a key that opens nothing would end in a service that refuses every signature. */
function judgeKeys({ head, secrets }: ArchiveInspection, keys: MasterKeys, isVerifying: boolean): void {
  const closed = Object.entries(secrets).filter(([, { sealed, opened }]) => opened < sealed);
  const told = closed.map(([id]) => (head.keys[id] ? `${id} (fingerprint ${head.keys[id]})` : id)).join(', ');
  if (closed.length === 0) {
    const ids = Object.keys(secrets).join(', ');
    print(ids === '' ? 'secrets: none\n' : `secrets: all open with the configured master key (${ids})\n`);
    return;
  }
  if (Object.keys(keys).length > 0) {
    throw new CommandFailed(`the configured master keys do not open secrets sealed with: ${told}`);
  }
  const message = `no master key is configured; serving this needs ${told}`;
  if (isVerifying) throw new CommandFailed(`${message}; the rest of the archive is sound`);
  printError(`barker: ${message}\n`);
}
