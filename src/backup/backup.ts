import { join } from 'node:path';
import { formatInstant } from '../base/instants.ts';
import type { ObjectStore } from '../contract/services/objects.ts';
import type { Driver } from '../storage/core/driver.ts';
import { lockServerFile, ServerAlreadyRunning } from '../storage/core/server-lock.ts';
import { writeArchive } from './archive-writer.ts';
import { type ExportResult, exportDatabase } from './export-database.ts';
import type { BackupHeader, BackupSink } from './format.ts';
import { keyFingerprints, type MasterKeys } from './inspect-archive.ts';
import { mediaSnapshot } from './media-snapshot.ts';

/** The object store to back up. */
export interface ObjectSource {
  readonly store: ObjectStore;
  /** Its folder, if objects are local files. */
  readonly folder: string | undefined;
}

/** The data to back up, and the options. */
export interface BackupSource {
  readonly driver: Driver;
  readonly folder: string;
  readonly objects: ObjectSource;
  /** The keys that decrypt its secrets; the backup lists their fingerprints. */
  readonly keys: MasterKeys;
  readonly release: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly progress: (line: string) => void;
  /** Only for the archive of a snapshot. */
  readonly snapshot?: BackupHeader['snapshot'];
}

/** Another backup of the same data folder is in progress. */
class BackupInProgress extends Error {
  override readonly name = 'BackupInProgress';
}

/**
 * Exports the contents of a database and a data folder as of one moment; the server can keep running.
 * @throws BackupInProgress
 * @source decision 451
 */
export async function exportAll(
  source: BackupSource,
  sink: BackupSink,
  { withNonces = true, withMedia = true } = {},
): Promise<ExportResult> {
  const { driver, folder, objects, keys, release, now, progress } = source;
  const end = claimCopying(folder);
  const snapshot = withMedia && objects.folder !== undefined ? mediaSnapshot(objects.folder) : undefined;
  const about: Pick<BackupHeader, 'release' | 'made_at' | 'keys' | 'snapshot'> = {
    release,
    snapshot: source.snapshot,
    made_at: formatInstant(now),
    keys: keyFingerprints(keys),
  };
  try {
    // A killed process may have left one.
    await snapshot?.remove();
    // Before the rows are read: the snapshot keeps objects that are removed later.
    await snapshot?.update();
    return await driver.read((session) =>
      exportDatabase(
        session,
        {
          header: about,
          folder: withNonces ? folder : undefined,
          media: withMedia ? { store: objects.store, snapshot } : undefined,
          progress,
        },
        sink,
      ),
    );
  } finally {
    await snapshot?.remove();
    await end();
  }
}

/** Writes a backup to an archive. @throws BackupInProgress */
export function backUp(source: BackupSource, path: string): Promise<ExportResult> {
  return writeArchive(path, (sink) => exportAll(source, sink));
}

function claimCopying(folder: string): () => Promise<void> {
  try {
    return lockServerFile(join(folder, 'backup.lock'));
  } catch (error) {
    if (error instanceof ServerAlreadyRunning) throw new BackupInProgress(`another backup of ${folder} is in progress`);
    throw error;
  }
}
