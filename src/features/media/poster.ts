import { readFile } from 'node:fs/promises';
import type { Upload, UploadSettings } from '../../contract/store/uploads.ts';
import { fitted, runFfmpeg } from './ffmpeg.ts';
import { placeholderImage } from './placeholder-image.ts';
import { firstFrame } from './probe/image-parts.ts';

/** Maximum side of a poster in pixels. */
const SIDE_MAX = 640;
const CPU_S = 20;

/** A poster image and its media type. */
export interface Poster {
  readonly bytes: Buffer;
  readonly mime: string;
}

/**
 * The first frame of a GIF or video; undefined for images. Without a video decoder, a grey image of the same aspect
 * ratio.
 * @source creatives 3; decision 193
 */
export async function createPoster(path: string, upload: Upload, rules: UploadSettings): Promise<Poster | undefined> {
  if (upload.media_type === 'IMAGE') return undefined;
  if (upload.media_type === 'GIF') {
    const bytes = firstFrame(await readFile(path));
    return bytes && { bytes, mime: 'image/gif' };
  }
  const decoded = rules.ffmpeg_program === '' ? undefined : await decodedFrame(rules.ffmpeg_program, path, upload);
  if (decoded) return { bytes: decoded, mime: 'image/jpeg' };
  return { bytes: placeholderImage(...fitted(upload.width!, upload.height!, SIDE_MAX)), mime: 'image/png' };
}

/** The first frame as a JPEG; undefined when the program is missing or fails. */
async function decodedFrame(
  program: string,
  path: string,
  { mime, width, height }: Upload,
): Promise<Buffer | undefined> {
  // Pixels need not be square.
  const filters = `scale=${width}:${height},setsar=1`;
  const output = ['-frames:v', '1', '-vf', filters, '-f', 'image2pipe', '-c:v', 'mjpeg', 'pipe:1'];
  const end = await runFfmpeg({ program, path, mime, output, cpu_s: CPU_S, file_bytes_max: 0 });
  return end.isGood && end.output.length > 0 ? end.output : undefined;
}
