import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk with less free space than this counts as full: the rest serves requests under way. */
const NEEDED = Buffer.alloc(65_536);

/**
 * Rejects while a folder takes no files: its disk is full or read-only, or a quota is used up. Costs a small
 * file that hardly ever reaches the disk.
 */
export function diskCheck(folder: string): () => Promise<void> {
  const path = join(folder, '.room');
  return async () => {
    // A service that has used no nonce yet has no folder for them.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(path, NEEDED, { mode: 0o600 });
    } finally {
      await rm(path, { force: true });
    }
  };
}
