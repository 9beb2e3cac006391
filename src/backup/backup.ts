import { join } from 'node:path';
import { formatInstant } from '../base/instants.ts';
import { lockServerFile, ServerAlreadyRunning } from '../storage/core/server-lock.ts';
import type { Driver } from '../storage/core/store.ts';
import { writeArchive } from './archive-writer.ts';
import { fingerprintsOf, type MasterKeys } from './examine.ts';
import { heldMedia } from './held-media.ts';
import type { Head, Sink } from './pieces.ts';
import { type Sent, sendDatabase } from './send-database.ts';

/** What a copy is made from. */
export interface Source {
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
export class AlreadyBackingUp extends Error {
  override readonly name = 'AlreadyBackingUp';
}

/** Sends what a database and a data folder hold at one moment; a service may go on beside. @throws AlreadyBackingUp */
export async function sendAll(source: Source, sink: Sink, { withFiles = true } = {}): Promise<Sent> {
  const { driver, folder, keys, release, now, progress } = source;
  const end = claimCopying(folder);
  const media = heldMedia(folder);
  const about: Pick<Head, 'release' | 'made_at' | 'keys'> = {
    release,
    made_at: formatInstant(now),
    keys: fingerprintsOf(keys),
  };
  try {
    // What another process left that was killed.
    await media.release();
    // Held before the rows are read: what is removed after that moment is still there.
    if (withFiles) await media.hold();
    return await driver.read((session) =>
      sendDatabase(session, { about, files: withFiles ? { folder, media } : undefined, progress }, sink),
    );
  } finally {
    await media.release();
    await end();
  }
}

/** Writes everything to an archive. @throws AlreadyBackingUp */
export function backUp(source: Source, path: string): Promise<Sent> {
  return writeArchive(path, (sink) => sendAll(source, sink));
}

function claimCopying(folder: string): () => Promise<void> {
  try {
    return lockServerFile(join(folder, 'backup.lock'));
  } catch (error) {
    if (error instanceof ServerAlreadyRunning) throw new AlreadyBackingUp(`another backup of ${folder} is being made`);
    throw error;
  }
}
