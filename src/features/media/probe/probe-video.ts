import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { childOptions } from '../../../base/children.ts';
import { within } from '../../../base/timers.ts';
import { isCompleteContainer } from './container-boxes.ts';
import type { ProbeResult } from './probe-file.ts';
import type { VideoProperties } from './video-process.ts';

/** Nothing that can be played takes longer to look at; meanwhile others wait. */
const TIME_MS = 10_000;
/** Of JavaScript, and of the library in pages of 64 KiB: 256 MB each. */
const BOUNDS = ['--max-old-space-size=256', '--wasm-max-mem-pages=4096'];

/**
 * Measures a video as it is shown. The library that knows the containers takes a lot of memory and time, and reads what
 * strangers have sent: it has a process of its own, which ends when no video waits.
 */
export async function probeVideo(path: string, mime: string): Promise<ProbeResult> {
  const hasBoxes = mime === 'video/mp4' || mime === 'video/quicktime';
  if (hasBoxes && !(await isCompleteContainer(path))) return { fault: 'The video is truncated' };
  const seen = await oneAtATime(() => readInProcess(path)).catch(() => undefined);
  if (!seen?.width || !seen.height) return { fault: 'Unsupported video format' };
  if (seen.isTruncated) return { fault: 'The video is truncated' };
  const [width, height] = seen.isRotated ? [seen.height, seen.width] : [seen.width, seen.height];
  return { mime, width, height, duration_ms: seen.duration_ms, codec: seen.codec };
}

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Many may come at once; each process takes as much memory as a small server. */
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  waiting += 1;
  const mine = last.then(work, work).finally(() => {
    waiting -= 1;
  });
  last = mine;
  return mine;
}

/** A process that has looked at a video, for the next one that waits: starting it takes longer than looking. */
let idleProcess: ChildProcess | undefined;

async function readInProcess(path: string): Promise<VideoProperties> {
  const child = idleProcess ?? startProcess();
  idleProcess = undefined;
  try {
    const seen = await within(TIME_MS, answerOf(child, resolve(path)));
    if (waiting > 1) idleProcess = child;
    return seen;
  } finally {
    if (idleProcess !== child) child.kill('SIGKILL');
  }
}

function startProcess(): ChildProcess {
  const program = new URL('./video-process.ts', import.meta.url);
  const child = fork(program, [], { ...childOptions(), execArgv: BOUNDS, stdio: 'ignore' });
  // Told to whoever waits for an answer; between two videos nobody does.
  child.on('error', () => {});
  return child;
}

function answerOf(child: ChildProcess, path: string): Promise<VideoProperties> {
  return new Promise((resolve, reject) => {
    const answered = (seen: unknown): void => {
      child.off('error', reject).off('disconnect', ended);
      resolve(seen as VideoProperties);
    };
    // What it sent has arrived by then, which its end does not say.
    const ended = (): void => reject(new Error('nothing was seen'));
    child.once('message', answered).once('error', reject).once('disconnect', ended);
    child.send(path, (error) => void (error && reject(error)));
  });
}
