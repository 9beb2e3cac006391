import { gifFrames } from './gif-frames.ts';

/** The offset where an image ends; undefined when truncated. Trailing bytes are ignored. @source decision 190 */
export function imageEnd(mime: string, bytes: Buffer): number | undefined {
  return ENDS[mime]?.(bytes);
}

const ENDS: Readonly<Record<string, (bytes: Buffer) => number | undefined>> = {
  'image/png': pngEnd,
  'image/jpeg': jpegEnd,
  'image/gif': (bytes) => gifFrames(bytes)?.end,
  'image/webp': (bytes) => within(bytes, bytes.length < 12 ? undefined : bytes.readUInt32LE(4) + 8),
  'image/bmp': (bytes) => within(bytes, bytes.length < 14 ? undefined : Math.max(bytes.readUInt32LE(2), 14)),
  // TIFF data can be anywhere in the file; only the first directory is read.
  'image/tiff': (bytes) => bytes.length,
};

function within(bytes: Buffer, end: number | undefined): number | undefined {
  return end !== undefined && end <= bytes.length ? end : undefined;
}

function pngEnd(bytes: Buffer): number | undefined {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const next = at + 12 + bytes.readUInt32BE(at);
    if (next > bytes.length) return undefined;
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return next;
    at = next;
  }
  return undefined;
}

const [START_OF_SCAN, END_OF_IMAGE] = [0xda, 0xd9];

function jpegEnd(bytes: Buffer): number | undefined {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    // Fill bytes before a marker.
    if (marker === 0xff) at += 1;
    else if (marker === START_OF_SCAN) {
      const end = bytes.indexOf(Buffer.from([0xff, END_OF_IMAGE]), at + 2);
      return end < 0 ? undefined : end + 2;
    } else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
