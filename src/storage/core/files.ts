import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** Syncs a folder, so that new and renamed files in it survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether an error says that a file or folder does not exist. */
export function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** For calls that may find nothing: `stat(path).catch(undefinedIfAbsent)`. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

/** The SHA-256 of a file in hex digits. */
export async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of createReadStream(path)) digest.update(piece as Uint8Array);
  return digest.digest('hex');
}
