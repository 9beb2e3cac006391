import { Worker } from 'node:worker_threads';
import { within } from '../../base/timers.ts';
import { isWholeContainer } from './boxes.ts';
import type { Probed } from './probe.ts';
import type { Seen } from './video-worker.ts';

/** It gives memory back sooner than it asks for more. */
const MEMORY = { maxYoungGenerationSizeMb: 4 };

/** Nothing that can be played takes longer to look at. */
const TIME_MS = 30_000;

/**
 * Measures a video as it is shown. The library that knows the containers takes a lot of memory and time: it has a
 * thread of its own, and both are given back.
 */
export async function lookAtVideo(path: string, mime: string): Promise<Probed> {
  const hasBoxes = mime === 'video/mp4' || mime === 'video/quicktime';
  if (hasBoxes && !(await isWholeContainer(path))) return { fault: 'The video is truncated' };
  const seen = await seenByWorker(path).catch(() => undefined);
  if (!seen?.width || !seen.height) return { fault: 'Unsupported video format' };
  if (seen.isTruncated) return { fault: 'The video is truncated' };
  const [width, height] = seen.isTurned ? [seen.height, seen.width] : [seen.width, seen.height];
  return { mime, width, height, duration_ms: seen.duration_ms, codec: seen.codec };
}

async function seenByWorker(path: string): Promise<Seen> {
  const worker = new Worker(new URL('./video-worker.ts', import.meta.url), {
    workerData: path,
    resourceLimits: MEMORY,
  });
  const seen = new Promise<Seen>((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('nothing was seen')));
  });
  try {
    return await within(TIME_MS, seen);
  } finally {
    await worker.terminate();
  }
}
