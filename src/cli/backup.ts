import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { printError, printLine } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';

/** `barker backup`. @source decision 450 */
export function configure(command: Command): void {
  onDatabase(command, 'backup --folder /var/backups/barker --keep 14')
    .argument('[file]', 'Archive to write: .tar.zst, .tar.gz or .tar')
    .option('--folder <folder>', 'Write an archive named after the current time into this folder')
    .option('--keep <n>', 'With --folder: keep this many archives and delete older ones')
    .option('--force', 'Overwrite an existing file')
    .option('--allow-missing-media', 'Succeed even if media files are missing from the data folder')
    .action((file: string | undefined) => runBackup(command, file));
}

/**
 * Writes an archive and verifies it; fails afterwards if media is missing, unless that is allowed. Older archives are
 * deleted only once the new one is verified.
 * @source decision 453, 1061
 */
async function runBackup(command: Command, file: string | undefined): Promise<void> {
  const { folder, keep, force, allowMissingMedia } = command.opts();
  if ((file === undefined) === (folder === undefined)) throw new UsageError('give either a file or --folder');
  if (keep !== undefined && (folder === undefined || !/^[1-9]\d{0,5}$/.test(keep))) {
    throw new UsageError('--keep takes a number of at least 1 and needs --folder');
  }
  const { systemClock } = await import('../base/clock.ts');
  const { backUp } = await import('../backup/backup.ts');
  const { inspectArchive } = await import('../backup/inspect-archive.ts');
  const { judgeKeys, recordVerified, runRecordedCopy } = await import('./backup/recorded-copy.ts');
  const settings = settingsFrom(command, 'serve', true);
  const path: string = file ?? datedArchivePath(folder, systemClock.now());
  if (existsSync(path) && !force) throw new CommandFailed(`${path} already exists; use --force to overwrite it`);
  const { missing } = await runRecordedCopy(command, settings, async (source, record) => {
    record.addTarget('archive', resolve(path));
    const result = await backUp(source, path);
    printLine(`wrote ${path}`);
    const examined = await inspectArchive(path, source.keys);
    if (Object.keys(source.keys).length === 0) printLine('secrets: not tried, because no master key is configured');
    else judgeKeys(examined, source.keys, true);
    return result;
  });
  printLine(`verified ${path}`);
  if (keep !== undefined) for (const old of removeOldArchives(folder, Number(keep))) printLine(`removed ${old}`);
  if (missing.length === 0 || allowMissingMedia) await recordVerified(settings, systemClock.now());
  if (missing.length === 0) return;
  const message = `media files of ${missing.length} uploads are missing from the data folder (first: ${missing[0]}); ${path} is otherwise complete`;
  if (!allowMissingMedia) throw new CommandFailed(message);
  printError(`barker: ${message}\n`);
}

const DATED = /^barker-\d{8}T\d{6}Z\.tar\.zst$/;

/** The path of a new archive; names sort by time. */
function datedArchivePath(folder: string, now: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `barker-${formatInstant(now).replace(/[-:]/g, '')}.tar.zst`);
}

/** Deletes all but the newest archives of a folder, and returns their paths. Other files stay. */
function removeOldArchives(folder: string, keep: number): string[] {
  const dated = readdirSync(folder)
    .filter((name) => DATED.test(name))
    .sort();
  const old = dated.slice(0, -keep).map((name) => join(folder, name));
  for (const path of old) rmSync(path, { force: true });
  return old;
}
