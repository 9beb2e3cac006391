import { spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { boundedCommand, childOptions } from '../../base/children.ts';
import { after } from '../../base/timers.ts';

/** Address space; sufficient for the largest accepted picture. */
const MEMORY_BYTES = 2_147_483_648;
/** Processes that wait for the processor may take longer than they compute. */
const TIME_FACTOR = 2;
const OUTPUT_BYTES_MAX = 67_108_864;

/** Demuxers by media type: the program must not take a file for a playlist of other files. */
const DEMUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'video/mp2t': 'mpegts',
  'image/tiff': 'tiff_pipe',
};

/** A run of the program on a file. */
export interface FfmpegRun {
  readonly program: string;
  readonly path: string;
  readonly mime: string;
  /** Options of the input, besides those that confine the program. */
  readonly input?: readonly string[];
  /** Options of the output, and its address. */
  readonly output: readonly string[];
  /** Processor time. */
  readonly cpu_s: number;
  /** Maximum size of the file that it may write. */
  readonly file_bytes_max: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs ffmpeg on a local file, in one thread, at a low priority and within limits; it gets no environment and opens no
 * URLs. It has ended when this resolves or rejects.
 * @returns `isTooLarge` if it was killed because the file would have been larger; `output` is what it wrote to `pipe:1`.
 * @throws the reason of the signal
 */
export async function runFfmpeg(run: FfmpegRun) {
  const { program, path, mime, input = [], output, cpu_s, file_bytes_max, signal } = run;
  signal?.throwIfAborted();
  const options = ['-nostdin', '-y', '-loglevel', 'error', '-threads', '1', '-protocol_whitelist', 'file', ...input];
  const args = [...options, '-f', DEMUXERS[mime]!, '-i', `file:${resolve(path)}`, '-threads', '1', ...output];
  const child = spawn(...boundedCommand(program, args, { memory_bytes: MEMORY_BYTES, cpu_s, file_bytes_max }), {
    ...childOptions(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Only root may raise a priority again.
  const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const stop = (): void => void child.kill('SIGKILL');
  const callOff = after(TIME_FACTOR * cpu_s * 1000, stop);
  signal?.addEventListener('abort', stop);
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > OUTPUT_BYTES_MAX) stop();
    else pieces.push(piece);
  });
  try {
    const [code, by] = await new Promise<[number | null, NodeJS.Signals | null]>((done) => {
      child.on('error', () => done([null, null]));
      child.on('close', (...end) => done(end));
    });
    signal?.throwIfAborted();
    return { isGood: code === 0, isTooLarge: by === 'SIGXFSZ', output: Buffer.concat(pieces) };
  } finally {
    callOff();
    signal?.removeEventListener('abort', stop);
  }
}

/** The size of a picture that fits into a square. */
export function fitted(width: number, height: number, side_max: number): [width: number, height: number] {
  const scale = Math.min(1, side_max / Math.max(width, height));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}
