import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Less room than this is none: a write that needs more is refused, and what is left serves those under way. */
const NEEDED = Buffer.alloc(65_536);

/**
 * Rejects while a folder takes no files: its disk is full or read-only, a quota is used up, or the folder is gone. Costs a
 * small file that never reaches the disk.
 */
export function diskCheck(folder: string): () => Promise<void> {
  const path = join(folder, '.room');
  return async () => {
    try {
      await writeFile(path, NEEDED, { mode: 0o600 });
    } finally {
      await rm(path, { force: true });
    }
  };
}
