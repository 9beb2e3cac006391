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

/** The object store of a copy. */
export interface ObjectSource {
  readonly store: ObjectStore;
  /** Its folder, if objects are files of this machine. */
  readonly folder: string | undefined;
}

/** The source of a copy. */
export interface BackupSource {
  readonly driver: Driver;
  readonly folder: string;
  readonly objects: ObjectSource;
  /** A copy lists the fingerprints of the keys that open its secrets. */
  readonly keys: MasterKeys;
  readonly release: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly progress: (line: string) => void;
  /** That it is a copy of a snapshot. */
  readonly snapshot?: BackupHeader['snapshot'];
}

/** Another backup of the same data folder is in progress. */
class BackupInProgress extends Error {
  override readonly name = 'BackupInProgress';
}

/**
 * Sends the contents of a database and a data folder as of one moment; a service may go on meanwhile.
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
    // Left by a process that was killed.
    await snapshot?.remove();
    // Before the rows are read: objects removed after that moment are still snapshot.
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

/** Writes everything to an archive. @throws BackupInProgress */
export function backUp(source: BackupSource, path: string): Promise<ExportResult> {
  return writeArchive(path, (sink) => exportAll(source, sink));
}

function claimCopying(folder: string): () => Promise<void> {
  try {
    return lockServerFile(join(folder, 'backup.lock'));
  } catch (error) {
    if (error instanceof ServerAlreadyRunning) throw new BackupInProgress(`another backup of ${folder} is being made`);
    throw error;
  }
}
