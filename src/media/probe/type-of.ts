import { open } from 'node:fs/promises';
import { mimeOf } from '../categories.ts';

/** So much of a file tells its type. */
const HEAD_BYTES = 4100;

const OTHER_NAMES: Readonly<Record<string, string>> = { 'video/x-m4v': 'video/mp4', 'image/apng': 'image/png' };

/** The media type that a file has by its bytes; undefined when they are nothing that is known. */
export async function typeOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { fileTypeFromBuffer } = await import('file-type');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const found = await fileTypeFromBuffer(buffer.subarray(0, bytesRead));
    if (!found) return undefined;
    return OTHER_NAMES[found.mime] ?? mimeOf(found.mime);
  } finally {
    await file.close();
  }
}
