import { deflateSync } from 'node:zlib';
import { placeholderImage, pngChunk } from '../../src/features/media/placeholder-image.ts';
import { GIF, JPEG, MP4, WEBM, WEBP } from './tiny-media.ts';

/** What must not be served. */
export const SECRET = '+48.8584+002.2945/Ada Lovelace';

/** A file with the secret in each kind of metadata of its format. */
export interface PlantedFile {
  readonly what: string;
  readonly mime: string;
  readonly category: string;
  readonly planted: Buffer;
  /** What is served instead. */
  readonly clean: Buffer;
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const join = (...parts: (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin(part) : part)));
const big = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

/** EXIF data with an orientation, a description and nothing else. */
function exif(orientation: number): Buffer {
  const entries = `\x01\x0e\0\x02\0\0\0${String.fromCharCode(SECRET.length)}\0\0\0\x26\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(orientation)}\0\0`;
  return join('MM\0*\0\0\0\x08\0\x02', entries, '\0\0\0\0', SECRET);
}

/** EXIF data with an orientation only. */
const turned = (orientation: number): string =>
  `II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0${String.fromCharCode(orientation)}\0\0\0\0\0\0\0`;

function jpegSegment(marker: number, content: Buffer | string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(2 + content.length);
  return join(Buffer.from([0xff, marker]), length, content);
}

const JFIF_END = 20;
const profile = jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x01a profile');
const jpegWith = (...segments: Buffer[]): Buffer =>
  join(JPEG.subarray(0, JFIF_END), ...segments, JPEG.subarray(JFIF_END));
const plantedJpeg = (orientation: number): Buffer =>
  join(
    jpegWith(
      jpegSegment(0xe0, `JFXX\0\x10${SECRET}`),
      jpegSegment(0xe1, join('Exif\0\0', exif(orientation))),
      jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
      profile,
      jpegSegment(0xe2, `MPF\0${SECRET}`),
      jpegSegment(0xed, `Photoshop 3.0\0${SECRET}\xff\xd9`),
      jpegSegment(0xfe, SECRET),
    ),
    JPEG,
    SECRET,
  );

const PNG = placeholderImage(30, 20);
const IHDR_END = 33;
const pngWith = (...chunks: Buffer[]): Buffer => join(PNG.subarray(0, IHDR_END), ...chunks, PNG.subarray(IHDR_END));
const gamma = pngChunk('gAMA', big(45_455));

const GIF_HEAD_END = 13 + 3 * 256;
const gifBlock = (content: string): string => `${String.fromCharCode(content.length)}${content}\0`;

function riff(name: string, content: Buffer | string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return join(name, size, content, content.length % 2 === 0 ? '' : '\0');
}

const webpWith = (flags: number, ...metadata: Buffer[]): Buffer => {
  const extended = riff('VP8X', `${String.fromCharCode(flags)}\0\0\0\x1f\0\0\x17\0\0`);
  return riff('RIFF', join('WEBP', extended, riff('ICCP', 'profile'), WEBP.subarray(12), ...metadata));
};

const box = (type: string, ...content: (Buffer | string)[]): Buffer => {
  const inside = join(...content);
  return join(big(8 + inside.length), type, inside);
};

const MOOV = 159;

/** A video with metadata in boxes and in a track of its own, or with free space and zeros there. */
function film(isPlanted: boolean): Buffer {
  const hidden = (type: string, ...content: (Buffer | string)[]): Buffer =>
    isPlanted ? box(type, ...content) : box('free', Buffer.alloc(join(...content).length));
  const sample = (text: string): Buffer => (isPlanted ? latin(text) : Buffer.alloc(text.length));
  const own = Buffer.from(MP4.subarray(MOOV + 8));
  if (isPlanted) own.writeUInt32BE(3_858_000_000, 12);
  // Two samples in the first chunk, and one in the second, behind five bytes of nobody.
  const track = (at: number): Buffer => {
    const chunks = [
      box('stsc', big(0, 2, 1, 2, 1, 2, 1, 1)),
      box('stsz', big(0, 0, 3, 12, 18, 30)),
      box('stco', big(0, 2, at, at + 35)),
    ];
    const handler = box('hdlr', big(0, 0), 'meta', big(0, 0, 0));
    return hidden('trak', box('mdia', handler, box('minf', box('stbl', ...chunks))));
  };
  const position = hidden('udta', box('\xa9xyz', `\0\x1e\x15\xc7${SECRET}`));
  const keys = hidden('meta', box('keys', 'com.example.location.ISO6709'), box('ilst', SECRET));
  const moov = (at: number): Buffer => box('moov', own, position, track(at), keys);
  const before = join(MP4.subarray(0, MOOV), hidden('uuid', `0123456789abcdef${SECRET}`), hidden('free', SECRET));
  const samples = box('mdat', sample(SECRET), 'stays', sample(SECRET));
  return join(before, moov(before.length + moov(0).length + 8), samples, hidden('meta', SECRET));
}

const voidOf = (length: number): Buffer => {
  const element = Buffer.alloc(length);
  if (length <= 128) element.writeUInt16BE(0xec80 | (length - 2));
  // The size is one byte, or eight.
  else element.write(`ec01${(length - 9).toString(16).padStart(14, '0')}`, 'hex');
  return element;
};

/** A WebM whose muxing program is called its title, with a second element of tags; or with void elements there. */
function webm(isPlanted: boolean): Buffer {
  const tags = isPlanted
    ? join('\x12\x54\xc3\x67', Buffer.from([0x80 | SECRET.length]), SECRET)
    : voidOf(5 + SECRET.length);
  const bytes = join(WEBM, tags);
  const placeOf = (element: string): number => WEBM.indexOf(element, 'latin1');
  const size = placeOf('\x18\x53\x80\x67') + 8;
  bytes.writeUInt32BE(bytes.readUInt32BE(size) + tags.length, size);
  if (isPlanted) {
    bytes.write('\x7b\xa9', placeOf('\x4d\x80\x8d'), 'latin1');
    bytes.write(SECRET, placeOf('\xec\x01') + 9);
  } else {
    voidOf(16).copy(bytes, placeOf('\x4d\x80\x8d'));
    voidOf(130).copy(bytes, placeOf('\x12\x54\xc3\x67\xfd'));
  }
  return bytes;
}

const IMAGE = 'post_image';

/** Each format with its metadata. */
export const PLANTED: readonly PlantedFile[] = [
  {
    what: 'a JPEG on its side',
    mime: 'image/jpeg',
    category: IMAGE,
    planted: plantedJpeg(6),
    clean: jpegWith(jpegSegment(0xe1, `Exif\0\0${turned(6)}`), profile),
  },
  { what: 'a JPEG', mime: 'image/jpeg', category: IMAGE, planted: plantedJpeg(1), clean: jpegWith(profile) },
  {
    what: 'a PNG',
    mime: 'image/png',
    category: IMAGE,
    planted: join(
      pngWith(
        pngChunk('tEXt', latin(`Author\0${SECRET}`)),
        pngChunk('iTXt', latin(`XML:com.adobe.xmp\0\0\0\0\0${SECRET}`)),
        pngChunk('zTXt', join('Comment\0\0', deflateSync(SECRET))),
        gamma,
        pngChunk('tIME', latin('\x07\xea\x03\x02\x11\x04\x37')),
        pngChunk('eXIf', exif(3)),
        pngChunk('prVt', latin(SECRET)),
      ),
      SECRET,
    ),
    clean: pngWith(gamma, pngChunk('eXIf', latin(turned(3)))),
  },
  {
    what: 'a GIF',
    mime: 'image/gif',
    category: 'post_gif',
    planted: join(
      GIF.subarray(0, GIF_HEAD_END),
      `!\xfe${gifBlock(SECRET)}!\xff\x0bXMP DataXMP${gifBlock(SECRET)}`,
      GIF.subarray(GIF_HEAD_END),
      SECRET,
    ),
    clean: GIF,
  },
  {
    what: 'a WebP',
    mime: 'image/webp',
    category: IMAGE,
    planted: join(webpWith(0x2c, riff('EXIF', exif(8)), riff('XMP ', SECRET)), SECRET),
    clean: webpWith(0x28, riff('EXIF', turned(8))),
  },
  { what: 'an MP4', mime: 'video/mp4', category: 'post_video', planted: film(true), clean: film(false) },
  { what: 'a WebM', mime: 'video/webm', category: 'post_video', planted: webm(true), clean: webm(false) },
];
