import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { boundedCommand, childOptions } from '../../base/children.ts';
import { within } from '../../base/timers.ts';
import type { Upload, UploadSettings } from '../../contract/store/uploads.ts';
import { placeholderImage } from './placeholder-image.ts';
import { firstFrame } from './probe/image-parts.ts';

/** Maximum side of a poster in pixels. */
const SIDE_MAX = 640;
const TIME_MS = 20_000;
/** Resource limits of the decoder; sufficient for the largest accepted video frame. */
const BOUNDS = { memory_bytes: 2_147_483_648, cpu_s: 20 };
const OUTPUT_BYTES_MAX = 67_108_864;

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
export async function makePoster(path: string, upload: Upload, rules: UploadSettings): Promise<Poster | undefined> {
  if (upload.media_type === 'IMAGE') return undefined;
  if (upload.media_type === 'GIF') {
    const bytes = firstFrame(await readFile(path));
    return bytes && { bytes, mime: 'image/gif' };
  }
  const decoded = rules.ffmpeg_program === '' ? undefined : await decodedFrame(rules.ffmpeg_program, path, upload);
  if (decoded) return { bytes: decoded, mime: 'image/jpeg' };
  return { bytes: placeholderImage(...fitted(upload.width!, upload.height!)), mime: 'image/png' };
}

function fitted(width: number, height: number): [width: number, height: number] {
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/** The first frame as a JPEG; undefined when the program is missing or fails. */
async function decodedFrame(program: string, path: string, { width, height }: Upload): Promise<Buffer | undefined> {
  // Pixels need not be square.
  const filters = `scale=${width}:${height},setsar=1`;
  const output = ['-frames:v', '1', '-vf', filters, '-f', 'image2pipe', '-c:v', 'mjpeg', 'pipe:1'];
  // Only local files: playlists must not make the program open URLs.
  const args = [
    '-nostdin',
    '-threads',
    '1',
    '-loglevel',
    'error',
    '-protocol_whitelist',
    'file',
    '-i',
    `file:${resolve(path)}`,
    ...output,
  ];
  const child = spawn(...boundedCommand(program, args, BOUNDS), {
    ...childOptions(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > OUTPUT_BYTES_MAX) child.kill('SIGKILL');
    else pieces.push(piece);
  });
  const done = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
  const isGood = await within(TIME_MS, done).catch(() => child.kill('SIGKILL') && false);
  return isGood && pieces.length > 0 ? Buffer.concat(pieces) : undefined;
}
