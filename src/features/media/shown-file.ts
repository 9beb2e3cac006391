import { readFile } from 'node:fs/promises';
import { KeyedMutex } from '../../base/keyed-mutex.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { ReceivedFile } from '../../contract/services/received-files.ts';
import { fitted, runFfmpeg } from './ffmpeg.ts';
import { ACCEPTED_FILES } from './media-categories.ts';
import { orientationOf } from './metadata/image-edits.ts';
import { withoutMetadata } from './metadata/without-metadata.ts';
import { type ExpectedFile, type FileProperties, type ProbedFile, probeFile } from './probe/probe-file.ts';

/** A file in a format that all browsers support. */
interface ShownFile {
  readonly properties: FileProperties;
  /** The file to store instead, if it had to be changed; the caller discards it. */
  readonly copy: ReceivedFile | undefined;
}

/** A file that browsers show, or the error message. */
export type ShownResult = ShownFile | { readonly fault: string };

/** Minimum share of the duration that a conversion must keep; transport streams state inexact durations. */
const [SHARE_MIN, INEXACT_MS] = [0.9, 500];

/**
 * Probes a file, converts it if not every browser shows it, and removes its metadata. Undefined when it is a video that
 * must be converted, and `isConverting` is false.
 * @throws the reason of the signal
 */
export async function shownFile(
  path: string,
  expected: ExpectedFile,
  media: Services['media'],
  { isConverting = false, signal }: { readonly isConverting?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<ShownResult | undefined> {
  const found = await probeFile(path, expected, media.uploadRules);
  signal?.throwIfAborted();
  if ('fault' in found) return found;
  if (!found.unshown) return stripped(path, found, media);
  if (expected.media_type === 'VIDEO' && !isConverting) return undefined;
  const file = await convertFile(path, found, expected, media, signal);
  if ('fault' in file) return file;
  let copy: ReceivedFile | undefined;
  try {
    const shown = await probeFile(file.place, { ...expected, mime: '' }, media.uploadRules);
    if ('fault' in shown || shown.unshown) return conversionFault(found);
    // Decoders stop at unreadable data without an error.
    if (shown.duration_ms! + INEXACT_MS < SHARE_MIN * found.duration_ms!) return conversionFault(found);
    const result = await stripped(file.place, shown, media);
    if ('fault' in result) return conversionFault(found);
    copy = result.copy ?? file;
    return { ...result, copy };
  } finally {
    if (copy !== file) await media.received.discard(file);
  }
}

async function stripped(
  path: string,
  { unshown: _, ...properties }: ProbedFile,
  { received }: Services['media'],
): Promise<ShownResult> {
  const copy = await withoutMetadata(path, properties.mime, received);
  return copy && 'fault' in copy ? copy : { properties, copy };
}

/** Maximum side of a converted video in pixels. */
const SIDE_MAX = 1920;
/** Processor time for a picture; for a video, with its share for each second of it, and its maximum. */
const [IMAGE_CPU_S, VIDEO_CPU_S, CPU_S_PER_S, CPU_S_MAX] = [20, 60, 10, 3600];

const NO_METADATA = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'];
const SOUND = '-c:a aac -b:a 128k -ac 2 -ar 48000'.split(' ');
const H264 = '-c:v libx264 -preset veryfast -profile:v high -pix_fmt yuv420p -crf 23 -maxrate 6M -bufsize 12M'.split(
  ' ',
);
const MP4 = '-movflags +faststart -f mp4'.split(' ');
/** A PNG has all the colours and transparency; a photograph may be too large for it. */
const STILLS = ['-c:v png', '-c:v mjpeg -q:v 3 -pix_fmt yuvj420p'].map((codec) =>
  `-frames:v 1 ${codec} -f image2pipe`.split(' '),
);
/** Filters by the orientation of a picture: from the second on, each turns or mirrors it. */
const TURNS = ['', '', 'hflip', 'hflip,vflip', 'vflip', 'transpose=0', 'transpose=1', 'transpose=3', 'transpose=2'];

/** One picture and one video at a time: a run takes much memory and a processor. */
const turns = new KeyedMutex();

/**
 * Converts a file of a format or codec that not every browser shows: a video to H.264 and AAC in MP4, a picture to PNG,
 * or JPEG if that is too large. Returns the message why it failed.
 * @throws the reason of the signal
 * @source decision 1260, 1261, 1262
 */
async function convertFile(
  path: string,
  found: ProbedFile,
  { category, media_type }: Pick<ExpectedFile, 'category' | 'media_type'>,
  { received, uploadRules }: Services['media'],
  signal?: AbortSignal,
): Promise<ReceivedFile | { readonly fault: string }> {
  const program = uploadRules.ffmpeg_program;
  const bytes_max = uploadRules[ACCEPTED_FILES[category].bytes_max];
  const isVideo = media_type === 'VIDEO';
  const seconds = Math.ceil((found.duration_ms ?? 0) / 1000);
  const cpu_s = isVideo ? Math.min(VIDEO_CPU_S + CPU_S_PER_S * seconds, CPU_S_MAX) : IMAGE_CPU_S;
  // The sizes that a file states may differ from those of its frames.
  const input = ['-max_pixels', String(uploadRules.media_pixels_max), ...(isVideo ? [] : ['-noautorotate'])];
  let isTooLarge = false;
  for (const options of isVideo ? [videoOptions(found)] : await imageOptions(path)) {
    const file = await received.write(async (place) => {
      const run = { program, path, mime: found.mime, input, output: [...options, `file:${place}`] };
      const end = await turns.run(media_type, () => runFfmpeg({ ...run, cpu_s, file_bytes_max: bytes_max, signal }));
      isTooLarge = end.isTooLarge;
      return end.isGood;
    });
    if (file && file.bytes <= bytes_max) return file;
    if (file) await received.discard(file);
    isTooLarge ||= file !== undefined;
    if (!isTooLarge) break;
  }
  return conversionFault(found, isTooLarge);
}

/** Why a file was not converted. */
function conversionFault({ unshown }: ProbedFile, isTooLarge = false): { readonly fault: string } {
  const { name, instead } = unshown!;
  return { fault: `${name} ${isTooLarge ? 'is too large once converted' : 'could not be converted'}: use ${instead}` };
}

function videoOptions({ width, height, codec, unshown }: ProbedFile): string[] {
  const [w, h] = fitted(width!, height!, SIDE_MAX).map((side) => Math.max(2, 2 * Math.round(side / 2)));
  const filters = ['-vf', `yadif=deint=interlaced,scale=${w}:${h},setsar=1`];
  const picture = unshown!.isSound && codec === 'AVC' ? ['-c:v', 'copy'] : [...filters, ...H264];
  return ['-map', '0:V:0', '-map', '0:a:0?', ...picture, ...SOUND, ...NO_METADATA, ...MP4];
}

async function imageOptions(path: string): Promise<string[][]> {
  const turn = TURNS[orientationOf(await readFile(path)) ?? 0] ?? '';
  return STILLS.map((options) => [...(turn === '' ? [] : ['-vf', turn]), ...NO_METADATA, ...options]);
}
