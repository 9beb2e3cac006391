import type { Command } from 'commander';
import { openDriver, requireDatabase } from '../../app/database.ts';
import { type OpenObjects, openObjects } from '../../app/objects.ts';
import type { BackupSource } from '../../backup/backup.ts';
import type { ArchiveInspection, MasterKeys } from '../../backup/inspect-archive.ts';
import { systemClock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { AuditOutcome } from '../../contract/store/audit.ts';
import { findMasterKey } from '../../dev/dev-folder.ts';
import { configuredKeys } from '../../settings/master-keys.ts';
import type { Settings } from '../../settings.ts';
import { storeOn } from '../../storage/core/store.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { programVersion } from '../../version.ts';
import { type CommandRecord, commandRecord } from '../command-record.ts';
import { CommandFailed, errorMessage } from '../failure.ts';
import { print, printError, printLine } from '../output.ts';

/** The configured master keys, or that of a development data folder; copying needs none. */
export function configuredMasterKeys(settings: Settings): MasterKeys {
  return configuredKeys({
    ...settings,
    master_key: settings.master_key || (findMasterKey(settings.data_folder) ?? ''),
  });
}

/**
 * Copies a database and stores an audit record in the source. The copy is made even if the record cannot be stored, as
 * in a read-only database or one without the table.
 * @source decision 594, 595
 */
export async function runRecordedCopy<T>(
  command: Command,
  settings: Settings,
  copy: (source: BackupSource, record: CommandRecord) => Promise<T>,
): Promise<T> {
  return withSource(settings, async (source) => {
    const record = commandRecord(command, source.now);
    const what = 'the audit record';
    const isRecorded = await isStored(settings, what, (tx) => tx.audit.append([record.withOutcome('begun')]));
    const end = async (outcome: AuditOutcome): Promise<void> => {
      if (isRecorded) await isStored(settings, what, (tx) => tx.audit.end(record.withOutcome(outcome)));
    };
    const result = await copy(source, record).catch(async (error) => {
      await end('failed');
      throw error;
    });
    await end('done');
    return result;
  });
}

/** Stores in the source that a backup of it was verified at a time, Unix milliseconds. @source decision 595, 1061 */
export async function recordVerified(settings: Settings, at: number): Promise<void> {
  await isStored(settings, 'that the backup was verified', (tx) => tx.verifiedBackup.record(formatInstant(at)));
}

/**
 * Stores something over a connection of its own; prints an error and returns false if that fails.
 * @source decision 595
 */
async function isStored(
  settings: Settings,
  what: string,
  work: (tx: WriteTransaction) => Promise<void>,
): Promise<boolean> {
  const store = storeOn(await openDriver(settings));
  try {
    await store.write(work);
    return true;
  } catch (error) {
    printError(`barker: could not store ${what}: ${errorMessage(error)}\n`);
    return false;
  } finally {
    await store.close();
  }
}

/** Opens the object store of the settings for a command, which fails when the store is away. */
export function openCommandObjects(settings: Settings): Promise<OpenObjects> {
  return openObjects(settings, { lost: () => {}, back: () => {} });
}

/** Opens the database of the settings for copying, at any schema version. */
async function withSource<T>(settings: Settings, work: (source: BackupSource) => Promise<T>): Promise<T> {
  const { data_folder: folder } = settings;
  requireDatabase(settings);
  const objects = await openCommandObjects(settings);
  const driver = await openDriver(settings);
  try {
    const about = {
      keys: configuredMasterKeys(settings),
      release: programVersion,
      now: systemClock.now(),
      progress: printLine,
    };
    return await work({ driver, folder, objects, ...about });
  } finally {
    await driver.close();
    objects.close();
  }
}

/** The contents of an archive, in lines. */
export function summaryOf({ head, contents }: ArchiveInspection): string[] {
  const { count, bytes } = contents.files;
  const rows = Object.values(contents.tables).reduce((total, table) => total + table.rows, 0);
  return [
    `backup made at ${head.made_at} by release ${head.release}, from ${head.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
    `schema: ${head.steps.length} migrations, the last is ${head.steps.at(-1)}`,
    `rows: ${rows} in ${Object.keys(contents.tables).length} tables`,
    `files: ${count} (${bytes} bytes)`,
  ];
}

/** Fails if the configured keys cannot decrypt the secrets: the server could then verify no signature. */
export function judgeKeys({ head, secrets }: ArchiveInspection, keys: MasterKeys, isVerifying: boolean): void {
  const closed = Object.entries(secrets).filter(([, { sealed, opened }]) => opened < sealed);
  const keyNames = closed.map(([id]) => (head.keys[id] ? `${id} (fingerprint ${head.keys[id]})` : id)).join(', ');
  if (closed.length === 0) {
    const ids = Object.keys(secrets).join(', ');
    print(ids === '' ? 'secrets: none\n' : `secrets: all can be decrypted with the configured master keys (${ids})\n`);
    return;
  }
  if (Object.keys(keys).length > 0) {
    throw new CommandFailed(`the configured master keys cannot decrypt secrets encrypted with: ${keyNames}`);
  }
  const message = `no master key is configured; the server will need ${keyNames}`;
  if (isVerifying) throw new CommandFailed(`${message}; the archive is otherwise valid`);
  printError(`barker: ${message}\n`);
}
