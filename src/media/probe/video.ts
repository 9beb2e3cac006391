import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { childOptions } from '../../base/children.ts';
import { within } from '../../base/timers.ts';
import { isWholeContainer } from './boxes.ts';
import type { Probed } from './probe.ts';
import type { Seen } from './video-process.ts';

/** Nothing that can be played takes longer to look at. */
const TIME_MS = 30_000;
/** Of JavaScript, and of the library in pages of 64 KiB: 256 MB each. */
const BOUNDS = ['--max-old-space-size=256', '--wasm-max-mem-pages=4096'];

/**
 * Measures a video as it is shown. The library that knows the containers takes a lot of memory and time, and reads what
 * strangers have sent: it has a process of its own, which ends with it.
 */
export async function lookAtVideo(path: string, mime: string): Promise<Probed> {
  const hasBoxes = mime === 'video/mp4' || mime === 'video/quicktime';
  if (hasBoxes && !(await isWholeContainer(path))) return { fault: 'The video is truncated' };
  const seen = await inTurn(() => seenByProcess(path)).catch(() => undefined);
  if (!seen?.width || !seen.height) return { fault: 'Unsupported video format' };
  if (seen.isTruncated) return { fault: 'The video is truncated' };
  const [width, height] = seen.isTurned ? [seen.height, seen.width] : [seen.width, seen.height];
  return { mime, width, height, duration_ms: seen.duration_ms, codec: seen.codec };
}

let last: Promise<unknown> = Promise.resolve();

/** Many may come at once; each process takes as much memory as a small server. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine;
  return mine;
}

async function seenByProcess(path: string): Promise<Seen> {
  const child = fork(new URL('./video-process.ts', import.meta.url), [resolve(path)], {
    ...childOptions(),
    execArgv: BOUNDS,
    stdio: 'ignore',
  });
  const seen = new Promise<Seen>((resolve, reject) => {
    child.on('message', (message) => resolve(message as Seen));
    child.on('error', reject);
    // What it sent has arrived by then, which its end does not say.
    child.on('disconnect', () => reject(new Error('nothing was seen')));
  });
  try {
    return await within(TIME_MS, seen);
  } finally {
    child.kill('SIGKILL');
  }
}
