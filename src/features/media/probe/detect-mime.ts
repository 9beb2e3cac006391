import { open } from 'node:fs/promises';
import { normalizeMime } from '../media-categories.ts';

const MIME_ALIASES: Readonly<Record<string, string>> = { 'video/x-m4v': 'video/mp4', 'image/apng': 'image/png' };

/** Every format that is taken says at its beginning what it is. */
const BEGINNING_BYTES = 65_536;
/** How a TIFF begins; what else there is of it may lie anywhere. */
const TIFF = ['II*\0', 'MM\0*'];

/** The media type that a file has by its bytes; undefined when they are nothing that is known. */
export async function detectMime(path: string): Promise<string | undefined> {
  const bytes = await beginningOf(path);
  // Loaded by whoever needs it first. It is given bytes, not the file: it would read that in thousands of tiny pieces.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found) return MIME_ALIASES[found.mime] ?? normalizeMime(found.mime);
  const isLonger = bytes.length === BEGINNING_BYTES;
  return isLonger && TIFF.includes(bytes.toString('latin1', 0, 4)) ? 'image/tiff' : undefined;
}

async function beginningOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
