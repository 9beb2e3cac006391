import { readFile } from 'node:fs/promises';
import type { Upload, UploadSettings } from '../../../contract/store/uploads.ts';
import { ACCEPTED_FILES } from '../media-categories.ts';
import { detectMime } from './detect-mime.ts';
import { gifFrames, imageParts } from './image-parts.ts';
import { probeVideo } from './probe-video.ts';
import { refusalOf, type Unshown, unshownFormat } from './shown-formats.ts';

/** The properties of a file. */
export type FileProperties = Pick<Upload, 'mime' | 'width' | 'height' | 'duration_ms' | 'codec'>;

/** The properties of a file as it is, which must be converted if not every browser shows it. */
export interface ProbedFile extends FileProperties {
  readonly unshown: Unshown | undefined;
}

/** A file that was probed, or the message why it was rejected. */
export type ProbeResult = ProbedFile | { readonly fault: string };

/** The expected category and type of a file; an empty `mime` accepts any. */
export type ExpectedFile = Pick<Upload, 'category' | 'media_type' | 'mime'>;

const KINDS = { IMAGE: 'image', GIF: 'GIF', VIDEO: 'video' } as const;

/**
 * Detects type, size and duration from the content of a file, and checks them. Without ffmpeg, formats that not every browser
 * shows are rejected.
 */
export async function probeFile(path: string, expected: ExpectedFile, rules: UploadSettings): Promise<ProbeResult> {
  const mime = await detectMime(path);
  if (mime === undefined || !ACCEPTED_FILES[expected.category].mimes.includes(mime)) {
    return { fault: `Unsupported ${KINDS[expected.media_type]} format` };
  }
  if (expected.mime !== '' && !isSameContainer(mime, expected.mime)) {
    return { fault: `media_type is ${expected.mime}, but the file is ${mime}` };
  }
  const format = unshownFormat(mime);
  const mayConvert = rules.ffmpeg_program !== '';
  if (format && !mayConvert) return { fault: refusalOf(format) };
  const found = expected.media_type === 'VIDEO' ? await probeVideo(path, mime) : await probeImage(path, mime, rules);
  if ('fault' in found) return found;
  if (found.unshown && !mayConvert) return { fault: refusalOf(found.unshown) };
  return checkLimits(found, expected, rules);
}

/** Both types use the same container, and cameras mix them up. @source decision 189 */
const ONE_CONTAINER = ['video/mp4', 'video/quicktime'];

function isSameContainer(mime: string, declared: string): boolean {
  return mime === declared || (ONE_CONTAINER.includes(mime) && ONE_CONTAINER.includes(declared));
}

/** Checks the number of pixels, and the duration of promoted videos only. @source decision 197 */
function checkLimits(found: ProbedFile, { category }: ExpectedFile, rules: UploadSettings): ProbeResult {
  const { width, height, duration_ms } = found;
  const pixels = width! * height!;
  if (!(pixels > 0)) return { fault: 'The file has no picture' };
  if (pixels > rules.media_pixels_max) {
    return { fault: `${width}x${height} is more than ${rules.media_pixels_max} pixels` };
  }
  const max_s = rules.media_amplify_duration_max_s;
  if (category === 'AMPLIFY_VIDEO' && duration_ms! > max_s * 1000) {
    return { fault: `The video is longer than ${max_s} seconds` };
  }
  return found;
}

/** EXIF orientations from this value swap width and height. */
const TURNED_FROM = 5;

/** Reads the displayed size of an image or GIF. */
async function probeImage(path: string, mime: string, rules: UploadSettings): Promise<ProbeResult> {
  // Bounded by the size limit of the category.
  const bytes = await readFile(path);
  if (!imageParts(mime, bytes)) return { fault: 'The image is truncated' };
  const size = await sizeOf(bytes);
  const frames = mime === 'image/gif' ? gifFrames(bytes)! : 1;
  if (!size || frames === 0) return { fault: 'The image cannot be read' };
  const { width, height } = size;
  if (mime === 'image/gif' && width * height * frames > rules.media_gif_pixels_max) {
    return { fault: `${frames} frames of ${width}x${height} are more than ${rules.media_gif_pixels_max} pixels` };
  }
  return { mime, width, height, duration_ms: null, codec: null, unshown: unshownFormat(mime) };
}

async function sizeOf(bytes: Buffer): Promise<{ width: number; height: number } | undefined> {
  const { imageSize } = await import('image-size');
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    return orientation < TURNED_FROM ? { width, height } : { width: height, height: width };
  } catch {
    return undefined;
  }
}
