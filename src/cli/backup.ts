import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailed } from './failure.ts';
import { printError } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker backup`. @source decision 450 */
export function backupCommand(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .argument('[file]', 'Archive to write: .tar.zst, .tar.gz or .tar')
    .option('--folder <folder>', 'Write an archive named after the current time into this folder')
    .option('--keep <n>', 'With --folder: keep this many archives and delete older ones')
    .option('--force', 'Overwrite an existing file')
    .option('--allow-missing-media', 'Succeed even if media files are missing from the data folder')
    .addHelpText('after', '\nExample:\n  barker backup --folder /var/backups/barker --keep 14')
    .action((file: string | undefined) => runBackup(command, file));
}

/**
 * Writes an archive and verifies it; fails afterwards if media is missing, unless that is allowed. Older archives are
 * deleted only once the new one is verified.
 * @source decision 453, 1061
 */
async function runBackup(command: Command, file: string | undefined): Promise<void> {
  const { folder, keep, force, allowMissingMedia } = command.opts();
  if ((file === undefined) === (folder === undefined)) throw new CommandFailed('give either a file or --folder', 2);
  if (keep !== undefined && (folder === undefined || !/^[1-9]\d{0,5}$/.test(keep))) {
    throw new CommandFailed('--keep takes a number of at least 1 and needs --folder', 2);
  }
  const { systemClock } = await import('../base/clock.ts');
  const { backUp } = await import('../backup/backup.ts');
  const { inspectArchive } = await import('../backup/inspect-archive.ts');
  const { removeOldArchives, datedArchivePath } = await import('./backup/dated-files.ts');
  const { judgeKeys } = await import('./backup/judge-archive.ts');
  const { printLine, recordVerified, runRecordedCopy } = await import('./backup/recorded-copy.ts');
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
