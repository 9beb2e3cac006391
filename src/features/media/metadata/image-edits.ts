import { pngChunk } from '../placeholder-image.ts';
import { type ImagePart, imageParts } from '../probe/image-parts.ts';
import type { Edit } from './without-metadata.ts';

/** How the metadata of an image format is found and written. */
interface Format {
  /** Whether to keep a part, by its type and its bytes with the head. */
  isKept(type: string, part: Buffer): boolean;
  /** The EXIF data of a part, if it has any. */
  exifIn?(type: string, part: Buffer): Buffer | undefined;
  /** A part with EXIF data. */
  partWith?(exif: Buffer): Buffer;
}

/** Chunks that PNG decoders use, besides the critical ones, whose names begin with an upper-case letter. */
const PNG_KEPT = 'acTL bKGD cHRM cICP cLLI fcTL fdAT gAMA hIST iCCP mDCV pHYs sBIT sPLT sRGB tRNS'.split(' ');
const WEBP_KEPT = ['head', 'VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
/** Repetition, and a colour profile. */
const GIF_APPLICATIONS = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];
const JPEG_APPLICATIONS: Readonly<Record<string, string>> = { e2: 'ICC_PROFILE\0', ee: 'Adobe' };
/** A JFIF head without a thumbnail. */
const JFIF_BYTES = 18;
const EXIF = 'Exif\0\0';

const beginsWith = (part: Buffer, at: number, text: string): boolean =>
  part.toString('latin1', at, at + text.length) === text;

const FORMATS: Readonly<Record<string, Format>> = {
  'image/jpeg': {
    isKept(type, part) {
      if (type === 'e0') return beginsWith(part, 4, 'JFIF\0') && part.length === JFIF_BYTES;
      if (type in JPEG_APPLICATIONS) return beginsWith(part, 4, JPEG_APPLICATIONS[type]!);
      // Other data of applications, and comments.
      return !/^e.$|^fe$/.test(type);
    },
    exifIn: (type, part) => (type === 'e1' && beginsWith(part, 4, EXIF) ? part.subarray(10) : undefined),
    partWith(exif) {
      const head = Buffer.from(`\xff\xe1\0\0${EXIF}`, 'latin1');
      head.writeUInt16BE(head.length - 2 + exif.length, 2);
      return Buffer.concat([head, exif]);
    },
  },
  'image/png': {
    isKept: (type) => /^[A-Z]|^head$/.test(type) || PNG_KEPT.includes(type),
    exifIn: (type, part) => (type === 'eXIf' ? part.subarray(8, -4) : undefined),
    partWith: (exif) => pngChunk('eXIf', exif),
  },
  'image/webp': {
    isKept: (type) => WEBP_KEPT.includes(type),
    exifIn: (type, part) => (type === 'EXIF' ? part.subarray(beginsWith(part, 8, EXIF) ? 14 : 8) : undefined),
    partWith(exif) {
      const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
      head.writeUInt32LE(exif.length, 4);
      return Buffer.concat([head, exif]);
    },
  },
  'image/gif': {
    isKept(type, part) {
      if (type === 'ff') return GIF_APPLICATIONS.some((name) => beginsWith(part, 3, name));
      return type !== 'fe';
    },
  },
};

/** The edits that remove the metadata and trailing data of an image. Orientation and colour profile are kept. */
export function imageEdits(mime: string, bytes: Buffer): Edit[] {
  const parts = imageParts(mime, bytes)!;
  const format = FORMATS[mime];
  const edits: Edit[] = [];
  let isOriented = false;
  for (const { type, start, end } of format ? parts : []) {
    const part = bytes.subarray(start, end);
    if (format!.isKept(type, part)) continue;
    const found: Buffer | undefined = isOriented ? undefined : format!.exifIn?.(type, part);
    const exif: Buffer | undefined = found && orientationExif(found);
    isOriented ||= exif !== undefined;
    const by = exif ? format!.partWith!(exif) : Buffer.alloc(0);
    if (!by.equals(part)) edits.push({ start, end, by });
  }
  if (mime === 'image/webp') edits.push(...webpHead(bytes, parts, edits, isOriented));
  const { end } = parts.at(-1)!;
  if (end < bytes.length) edits.push({ start: end, end: bytes.length, by: Buffer.alloc(0) });
  return edits;
}

/** The flags of a WebP for the chunks that are metadata. */
const [EXIF_FLAG, XMP_FLAG] = [0x08, 0x04];

/** The size and flags of a WebP after other edits. */
function webpHead(bytes: Buffer, parts: readonly ImagePart[], edits: readonly Edit[], isOriented: boolean): Edit[] {
  if (edits.length === 0) return [];
  const size = Buffer.alloc(4);
  size.writeUInt32LE(
    edits.reduce((sum, { start, end, by }) => sum - (end - start) + by!.length, bytes.readUInt32LE(4)),
  );
  const head: Edit[] = [{ start: 4, end: 8, by: size }];
  const extended = parts.find(({ type }) => type === 'VP8X');
  if (!extended) return head;
  const at = extended.start + 8;
  const flags = (bytes[at]! & ~(EXIF_FLAG | XMP_FLAG)) | (isOriented ? EXIF_FLAG : 0);
  return [...head, { start: at, end: at + 1, by: Buffer.from([flags]) }];
}

const ORIENTATION = 0x0112;
const [UPRIGHT, LAST] = [1, 8];

/** EXIF data with the orientation of other EXIF data only; undefined when that has none, or the image is upright. */
function orientationExif(exif: Buffer): Buffer | undefined {
  const orientation = orientationOf(exif);
  if (orientation === undefined || orientation <= UPRIGHT || orientation > LAST) return undefined;
  // A directory of one entry, a number of 16 bits.
  const minimal = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex');
  minimal.writeUInt16LE(orientation, 18);
  return minimal;
}

/** The orientation that EXIF data or a TIFF states, 1 to 8. */
export function orientationOf(exif: Buffer): number | undefined {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  try {
    const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
    const entries = Array.from({ length: short(directory) }, (_, index) => directory + 2 + 12 * index);
    const entry = entries.find((at) => short(at) === ORIENTATION);
    return entry === undefined ? undefined : short(entry + 8);
  } catch {
    // Offsets beyond the end.
    return undefined;
  }
}
