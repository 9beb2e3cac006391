import { join } from 'node:path';
import { formatInstant } from '../base/instants.ts';
import { lockServerFile, ServerAlreadyRunning } from '../storage/core/server-lock.ts';
import type { Driver } from '../storage/core/store.ts';
import { writeArchive } from './archive-writer.ts';
import { type ExportResult, exportDatabase } from './export-database.ts';
import type { BackupHeader, BackupSink } from './format.ts';
import { keyFingerprints, type MasterKeys } from './inspect-archive.ts';
import { mediaSnapshot } from './media-snapshot.ts';

/** What a copy is made from. */
export interface BackupSource {
  readonly driver: Driver;
  readonly folder: string;
  /** Copies name the keys that open them by their fingerprints. */
  readonly keys: MasterKeys;
  readonly release: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly progress: (line: string) => void;
}

/** Another backup of the same data folder is being made. */
export class BackupInProgress extends Error {
  override readonly name = 'AlreadyBackingUp';
}

/** Sends what a database and a data folder hold at one moment; a service may go on beside. @throws AlreadyBackingUp */
export async function exportAll(
  source: BackupSource,
  sink: BackupSink,
  { withFiles = true } = {},
): Promise<ExportResult> {
  const { driver, folder, keys, release, now, progress } = source;
  const end = claimCopying(folder);
  const media = mediaSnapshot(folder);
  const about: Pick<BackupHeader, 'release' | 'made_at' | 'keys'> = {
    release,
    made_at: formatInstant(now),
    keys: keyFingerprints(keys),
  };
  try {
    // What another process left that was killed.
    await media.remove();
    // Held before the rows are read: what is removed after that moment is still there.
    if (withFiles) await media.update();
    return await driver.read((session) =>
      exportDatabase(session, { header: about, files: withFiles ? { folder, media } : undefined, progress }, sink),
    );
  } finally {
    await media.remove();
    await end();
  }
}

/** Writes everything to an archive. @throws AlreadyBackingUp */
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
