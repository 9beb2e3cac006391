import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { childOptions } from '../../../base/children.ts';
import { KeyedMutex } from '../../../base/keyed-mutex.ts';
import { withTimeout } from '../../../base/timers.ts';
import { isCompleteContainer } from './container-boxes.ts';
import type { ProbeResult } from './probe-file.ts';
import { unshownCodec, unshownFormat } from './shown-formats.ts';
import type { VideoProperties } from './video-process.ts';

/** Timeout for one video; others wait meanwhile. */
const TIME_MS = 30_000;
/** Memory limits of the JavaScript heap and of WebAssembly (pages of 64 KiB): 256 MB each. */
const BOUNDS = ['--max-old-space-size=256', '--wasm-max-mem-pages=4096'];

/**
 * Reads displayed size, duration and codec of a video. The library needs much memory and time and parses untrusted
 * files, so it runs in a process of its own, which ends when no video waits.
 * @source decision 199
 */
export async function probeVideo(path: string, mime: string): Promise<ProbeResult> {
  const hasBoxes = mime === 'video/mp4' || mime === 'video/quicktime';
  if (hasBoxes && !(await isCompleteContainer(path))) return { fault: 'The video is truncated' };
  waiting += 1;
  const seen = await turns
    .run('video', () => readInProcess(path))
    .catch(() => undefined)
    .finally(() => {
      waiting -= 1;
    });
  if (!seen?.width || !seen.height || seen.codec === null) return { fault: 'Unsupported video format' };
  if (seen.isTruncated) return { fault: 'The video is truncated' };
  const unshown = unshownFormat(mime) ?? unshownCodec(mime, seen.codec, seen);
  const [width, height] = seen.isRotated ? [seen.height, seen.width] : [seen.width, seen.height];
  return { mime, width, height, duration_ms: seen.duration_ms, codec: seen.codec, unshown };
}

/** One video at a time, because each process needs much memory. @source decision 199 */
const turns = new KeyedMutex();
let waiting = 0;

/** A running process for the next video that waits; starting one takes longer than reading a video. */
let idleProcess: ChildProcess | undefined;

async function readInProcess(path: string): Promise<VideoProperties> {
  const child = idleProcess ?? startProcess();
  idleProcess = undefined;
  try {
    const seen = await withTimeout(TIME_MS, answerOf(child, resolve(path)));
    if (waiting > 1) idleProcess = child;
    return seen;
  } finally {
    if (idleProcess !== child) child.kill('SIGKILL');
  }
}

function startProcess(): ChildProcess {
  const program = new URL('./video-process.ts', import.meta.url);
  const child = fork(program, [], { ...childOptions(), execArgv: BOUNDS, stdio: 'ignore' });
  // Errors reject the pending answer; between two videos there is none.
  child.on('error', () => {});
  return child;
}

function answerOf(child: ChildProcess, path: string): Promise<VideoProperties> {
  return new Promise((resolve, reject) => {
    const answered = (seen: unknown): void => {
      child.off('error', reject).off('disconnect', ended);
      resolve(seen as VideoProperties);
    };
    // Messages arrive before `disconnect`, but not necessarily before `exit`.
    const ended = (): void => reject(new Error('the process ended without an answer'));
    child.once('message', answered).once('error', reject).once('disconnect', ended);
    child.send(path, (error) => void (error && reject(error)));
  });
}
