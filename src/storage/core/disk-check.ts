import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk that cannot take this many bytes counts as full; requests under way can use the rest. */
const NEEDED = Buffer.alloc(65_536);

/**
 * Rejects while no file can be written to a folder: its disk is full or read-only, or a quota is used up. Costs a small
 * file that hardly ever reaches the disk.
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
