import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { normalizeMime } from '../media-categories.ts';

const MIME_ALIASES: Readonly<Record<string, string>> = { 'video/x-m4v': 'video/mp4', 'image/apng': 'image/png' };

/** Bytes read to detect the format. */
export const BEGINNING_BYTES = 65_536;
/** First bytes of TIFF files, whose other data can be anywhere. */
const TIFF = ['II*\0', 'MM\0*'];

/** Detects the media type of a file, from its path or its beginning; undefined when unknown. */
export async function detectMime(of: string | Readable): Promise<string | undefined> {
  const bytes = typeof of === 'string' ? await beginningOf(of) : await buffer(of);
  // Loaded at first use. It is passed bytes, because it reads files in thousands of small pieces.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found) return MIME_ALIASES[found.mime] ?? normalizeMime(found.mime);
  const isLonger = bytes.length === BEGINNING_BYTES;
  return isLonger && TIFF.includes(bytes.toString('latin1', 0, 4)) ? 'image/tiff' : undefined;
}

async function beginningOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
