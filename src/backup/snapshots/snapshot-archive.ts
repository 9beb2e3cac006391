import { secureRandom } from '../../base/random.ts';
import { parseMasterKey, type SecretBox, secretBox } from '../../base/secret-box.ts';
import { SNAPSHOT_NAME, type Snapshot, type SnapshotNotes } from '../../contract/services/snapshots.ts';
import { SEALED_COLUMNS } from '../../contract/store/sealed-columns.ts';
import { applyMigrations } from '../../storage/core/migrate.ts';
import { listSealedValues, replaceSealedValue } from '../../storage/core/sealed-values.ts';
import type { Session } from '../../storage/core/session.ts';
import { openSqlite } from '../../storage/core/sqlite.ts';
import { moveAllToLog } from '../../storage/tables/event-outbox.ts';
import { forgetDerivedFiles } from '../../storage/transfer/after-restore.ts';
import { ArchiveDamaged, readArchive } from '../archive-reader.ts';
import { writeArchive } from '../archive-writer.ts';
import { exportAll } from '../backup.ts';
import { databaseSink } from '../database-sink.ts';
import type { ArchivedSnapshot } from '../format.ts';
import { inspectArchive, type MasterKeys } from '../inspect-archive.ts';
import { fillTarget } from '../restore-target.ts';
import { contentsSize, databaseOf, objectsOf } from './contents.ts';

/** The dependencies of the archive of a snapshot. */
export interface SnapshotExport {
  /** The keys that open its secrets. They become part of the archive: a snapshot is test data. */
  readonly keys: MasterKeys;
  readonly release: string;
}

/** The archive is a backup of a service, and no snapshot. */
export class NoSnapshot extends Error {
  override readonly name = 'NoSnapshot';
}

/**
 * Writes a snapshot to an archive in the format of backups, without derived data.
 * @source decision 879
 */
export async function writeSnapshot(
  { name, at, notes, folder }: Snapshot,
  path: string,
  { keys, release }: SnapshotExport,
): Promise<void> {
  const driver = openSqlite({ file: databaseOf(folder) });
  const master_keys = Object.fromEntries(Object.entries(keys).map(([id, key]) => [id, key.toString('hex')]));
  try {
    await writeArchive(path, (sink) =>
      exportAll(
        {
          driver,
          folder,
          keys,
          release,
          objects: { store: objectsOf(folder), folder },
          now: Date.parse(at),
          snapshot: { name, notes, master_keys },
          progress: () => {},
        },
        sink,
        { withNonces: false },
      ),
    );
  } finally {
    await driver.close();
  }
}

/**
 * Reads the archive of a snapshot into an empty folder: brings its schema up to date, and seals its secrets with the key
 * of this service.
 * @param now UTC text.
 * @throws ArchiveDamaged NoSnapshot SchemaTooNew
 */
export async function readSnapshot(
  path: string,
  folder: string,
  { box, now }: { readonly box: SecretBox; readonly now: string },
): Promise<Pick<Snapshot, 'at' | 'bytes' | 'notes'> & { readonly name: string }> {
  const { head } = await inspectArchive(path, {});
  if (!head.snapshot) throw new NoSnapshot('the archive is a backup of a service; barker restore reads it');
  const { name, notes, master_keys } = checked(head.snapshot);
  const from = boxOf(master_keys);
  const target = { folder, databaseUrl: '', includesFiles: true, objects: objectsOf(folder) };
  await fillTarget(target, async (session) => {
    const sink = databaseSink(session, { folder, objects: target.objects, now, progress: () => {} });
    await readArchive(path, sink);
    await applyMigrations(session, now);
    await forgetDerivedFiles(session);
    await moveAllToLog(session);
    await resealRows(session, from, box);
  });
  return { name, at: head.made_at, notes, bytes: await contentsSize(folder) };
}

/** @throws ArchiveDamaged */
function checked({ name, notes, master_keys }: ArchivedSnapshot): ArchivedSnapshot {
  const isNumber = (value: unknown): boolean => typeof value === 'number';
  const isText = (value: unknown): boolean => typeof value === 'string';
  const areTexts = (values: unknown): boolean => Object.values(values ?? { missing: 0 }).every(isText);
  const { clock, clock_state, mark, keys } = (notes ?? {}) as Partial<SnapshotNotes>;
  const isWhole = SNAPSHOT_NAME.test(name) && [clock, mark].every(isText) && areTexts(keys) && areTexts(master_keys);
  const { mode, now_ms, offset_ms } = (clock_state ?? {}) as Readonly<Record<string, unknown>>;
  const hasState = (mode === 'frozen' && isNumber(now_ms)) || (mode === 'running' && isNumber(offset_ms));
  if (!isWhole || !hasState || Number.isNaN(Date.parse(clock!)))
    throw new ArchiveDamaged('backup.json does not describe a snapshot');
  return { name, notes, master_keys };
}

function boxOf(master_keys: Readonly<Record<string, string>>): SecretBox {
  try {
    const keys = Object.fromEntries(Object.entries(master_keys).map(([id, key]) => [id, parseMasterKey(key)]));
    return secretBox({ currentKeyId: Object.keys(keys)[0]!, keys, random: (bytes) => secureRandom.bytes(bytes) });
  } catch (error) {
    throw new ArchiveDamaged('backup.json lacks the keys of the snapshot', { cause: error });
  }
}

const BATCH = 500;

async function resealRows(session: Session, from: SecretBox, to: SecretBox): Promise<void> {
  for (const column of Object.values(SEALED_COLUMNS)) {
    for (let after = ''; ; ) {
      const batch = await listSealedValues(session, column, after, BATCH);
      for (const { key, value: former } of batch) {
        const context = column.context(key);
        await replaceSealedValue(session, column, {
          of: key,
          former,
          value: to.seal(from.open(former, context), context),
        });
      }
      if (batch.length < BATCH) break;
      after = batch.at(-1)!.key;
    }
  }
}
