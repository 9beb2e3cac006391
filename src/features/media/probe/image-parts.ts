/** A part of an image: a segment, chunk or block with its head. */
export interface ImagePart {
  /** The marker of a segment or label of a block in hex digits, the name of a chunk, or a name of our own. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The parts of an image without gaps, from the start of the file to the end of the image; undefined when truncated.
 * Trailing data is not a part.
 * @source decision 190
 */
export function imageParts(mime: string, bytes: Buffer): readonly ImagePart[] | undefined {
  return READERS[mime]?.(bytes);
}

const whole = (bytes: Buffer): ImagePart[] => [{ type: 'whole', start: 0, end: bytes.length }];

const READERS: Readonly<Record<string, (bytes: Buffer) => ImagePart[] | undefined>> = {
  'image/png': pngChunks,
  'image/jpeg': jpegSegments,
  'image/gif': gifBlocks,
  'image/webp': webpChunks,
  // The size that a BMP states is often too small: it ends with its file.
  'image/bmp': (bytes) => (bytes.length < 14 || bytes.readUInt32LE(2) > bytes.length ? undefined : whole(bytes)),
  // Its parts can be anywhere: whether they are complete turns out when it is converted.
  'image/tiff': whole,
};

function pngChunks(bytes: Buffer): ImagePart[] | undefined {
  const parts = [{ type: 'head', start: 0, end: 8 }];
  for (let start = 8; start + 12 <= bytes.length; ) {
    const end = start + 12 + bytes.readUInt32BE(start);
    if (end > bytes.length) return undefined;
    const type = bytes.toString('latin1', start + 4, start + 8);
    parts.push({ type, start, end });
    if (type === 'IEND') return parts;
    start = end;
  }
  return undefined;
}

const [START_OF_SCAN, END_OF_IMAGE, FILL] = [0xda, 0xd9, 0xff];

function jpegSegments(bytes: Buffer): ImagePart[] | undefined {
  const parts = [{ type: 'head', start: 0, end: 2 }];
  for (let start = 2; start + 2 <= bytes.length && bytes[start] === 0xff; ) {
    const marker = bytes[start + 1]!;
    const type = marker.toString(16);
    if (marker === END_OF_IMAGE) return [...parts, { type, start, end: start + 2 }];
    if (marker !== FILL && start + 4 > bytes.length) return undefined;
    let end = marker === FILL ? start + 1 : start + 2 + bytes.readUInt16BE(start + 2);
    if (marker === START_OF_SCAN) end = afterScan(bytes, end);
    parts.push({ type, start, end });
    start = end;
  }
  return undefined;
}

/** The offset of the marker after entropy-coded data, in which 0xff is followed by 0, or restarts the decoder. */
function afterScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? FILL;
    if (next !== 0 && next !== FILL && (next & 0xf8) !== 0xd0) return at;
  }
  return bytes.length;
}

function webpChunks(bytes: Buffer): ImagePart[] | undefined {
  const end = bytes.length < 12 ? Infinity : bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return undefined;
  const parts = [{ type: 'head', start: 0, end: 12 }];
  for (let start = 12; start < end; ) {
    const size = start + 8 > end ? Infinity : bytes.readUInt32LE(start + 4);
    if (start + 8 + size > end) return undefined;
    // Some encoders do not pad the last chunk.
    const next = Math.min(start + 8 + size + (size % 2), end);
    parts.push({ type: bytes.toString('latin1', start, start + 4), start, end: next });
    start = next;
  }
  return parts;
}

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];

function gifBlocks(bytes: Buffer): ImagePart[] | undefined {
  if (bytes.length < 14) return undefined;
  let start = 13 + colorBytes(bytes[10]!);
  const parts = [{ type: 'head', start: 0, end: start }];
  while (start < bytes.length) {
    const block = bytes[start];
    if (block === TRAILER) return [...parts, { type: 'trailer', start, end: start + 1 }];
    if (block !== IMAGE && block !== EXTENSION) return undefined;
    const type = block === IMAGE ? 'image' : (bytes[start + 1] ?? 0).toString(16);
    const end = afterBlocks(bytes, block === EXTENSION ? start + 2 : start + 11 + colorBytes(bytes[start + 9] ?? 0));
    if (end === undefined) return undefined;
    parts.push({ type, start, end });
    start = end;
  }
  return undefined;
}

/** The number of frames of a GIF; undefined when truncated. */
export function gifFrames(bytes: Buffer): number | undefined {
  return gifBlocks(bytes)?.filter(({ type }) => type === 'image').length;
}

/** The first frame of a GIF, as a GIF without animation. */
export function firstFrame(bytes: Buffer): Buffer | undefined {
  const first = gifBlocks(bytes)?.find(({ type }) => type === 'image');
  return first && Buffer.concat([bytes.subarray(0, first.end), Buffer.from([TRAILER])]);
}

function colorBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The offset after a sequence of sub-blocks, which an empty one ends. */
function afterBlocks(bytes: Buffer, start: number): number | undefined {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at]!;
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}
