import { readFile } from 'node:fs/promises';
import type { UploadSettings } from '../../../contract/store/uploads.ts';
import { gifFrames, imageParts } from './image-parts.ts';
import type { ProbeResult } from './probe-file.ts';
import { unshownFormat } from './shown-formats.ts';

/** EXIF orientations from this value swap width and height. */
const TURNED_FROM = 5;

/** Reads the displayed size of an image or GIF. */
export async function probeImage(path: string, mime: string, rules: UploadSettings): Promise<ProbeResult> {
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
