import { open } from 'node:fs/promises';

/** Makes new names in a folder durable, such as those of renamed files. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether a file or folder does not exist. */
export function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** For calls that may find nothing: `stat(path).catch(undefinedIfAbsent)`. */
export function undefinedIfAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}
