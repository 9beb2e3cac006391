import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk with less free space counts as full, in bytes; the rest is left for requests in progress. */
const NEEDED = Buffer.alloc(65_536);

/**
 * Rejects while no file can be written to a folder: its disk is full or read-only, or a quota is exhausted. Costs a
 * small file that rarely reaches the disk.
 * @source decision 435
 */
export function diskCheck(folder: string): () => Promise<void> {
  const path = join(folder, '.room');
  return async () => {
    // Before the first nonce there is no folder for them.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(path, NEEDED, { mode: 0o600 });
    } finally {
      await rm(path, { force: true });
    }
  };
}
