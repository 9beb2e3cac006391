import { addSeconds, formatInstant } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { contentOfBytes, contentOfFile, ObjectMissing } from '../../contract/services/objects.ts';
import { type ReceivedFile, SourceFailed } from '../../contract/services/received-files.ts';
import type { Job, JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import type { Upload, UploadChanges, UploadSegment } from '../../contract/store/uploads.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { CONVERSION, planRemoval } from './expiry.ts';
import { readyKey } from './object-keys.ts';
import { createPoster } from './poster.ts';
import { shownFile } from './shown-file.ts';

/** Kind of the jobs that process uploads. */
export const PROCESSING = 'media-processing';

/** Whether to convert videos, which takes minutes; and the abort signal. */
interface ProcessingOptions {
  readonly isConverting?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Assembles the segments in a local file, probes it, converts it if necessary, removes its metadata, makes its poster, and
 * stores both as objects. Nothing refers to them until the changes are stored: of several attempts, the objects of one are
 * used, and the others removed with the segments.
 * @returns undefined when a video must be converted and `isConverting` is false.
 * @source decision 784
 */
export async function processUpload(
  upload: Upload,
  segments: readonly UploadSegment[],
  services: Services,
  options: ProcessingOptions = {},
): Promise<UploadChanges | undefined> {
  try {
    const file = await localFileOf(segments, services, options.signal);
    try {
      return await processFile(upload, segments, file, services, options);
    } finally {
      await file.discard();
    }
  } catch (error) {
    const isLost = error instanceof ObjectMissing || (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isLost) return { state: 'failed', fault: 'A segment has been lost' };
    throw error;
  }
}

async function processFile(
  upload: Upload,
  segments: readonly UploadSegment[],
  file: LocalFile,
  { objects, secrets, media }: Services,
  options: ProcessingOptions,
): Promise<UploadChanges | undefined> {
  const { signal } = options;
  signal?.throwIfAborted();
  const shown = await shownFile(file.path, upload, media, options);
  if (!shown) return undefined;
  if ('fault' in shown) return { state: 'failed', fault: shown.fault };
  const { properties, copy } = shown;
  try {
    signal?.throwIfAborted();
    const poster = await createPoster(copy?.place ?? file.path, { ...upload, ...properties }, media.uploadRules);
    const poster_key = poster ? readyKey(upload.id, 'poster', secrets) : null;
    if (poster) await objects.put(poster_key!, contentOfBytes(poster.bytes), signal);
    // A single segment is the whole file, unless that was changed.
    const whole = copy ?? (segments.length === 1 ? undefined : file.assembled!);
    const object_key = whole ? readyKey(upload.id, 'whole', secrets) : segments[0]!.object_key;
    if (whole) await objects.put(object_key, contentOfFile(whole.place, whole.bytes, whole.sha256), signal);
    const bytes = whole?.bytes ?? upload.bytes;
    return { state: 'succeeded', ...properties, bytes, poster_mime: poster?.mime ?? null, object_key, poster_key };
  } finally {
    if (copy) await media.received.discard(copy);
  }
}

/** A local file with the bytes of an upload. */
interface LocalFile {
  readonly path: string;
  /** The file, if it was assembled: it is not an object yet. */
  readonly assembled?: ReceivedFile;
  /** Removes the file, unless it is or became an object. */
  discard(): Promise<void>;
}

/**
 * The bytes of segments as one file. A single segment of a store on this machine is not copied. An object may be
 * missing, or short, when its segment was never acknowledged and the power failed.
 * @throws ObjectMissing ObjectsUnavailable
 */
async function localFileOf(
  segments: readonly UploadSegment[],
  { objects, media: { received } }: Services,
  signal?: AbortSignal,
): Promise<LocalFile> {
  const path = segments.length === 1 ? objects.localPath(segments[0]!.object_key) : undefined;
  if (path !== undefined) {
    const found = await objects.head(segments[0]!.object_key);
    if (found?.bytes !== segments[0]!.bytes) throw new ObjectMissing(segments[0]!.object_key);
    return { path, discard: async () => {} };
  }
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const file = await received.receive(bytesOf(segments, objects, signal), bytes).catch((error: unknown) => {
    throw error instanceof SourceFailed ? error.cause : error;
  });
  if (file.bytes !== bytes) {
    await received.discard(file);
    throw new ObjectMissing(segments[0]!.object_key);
  }
  return { path: file.place, assembled: file, discard: () => received.discard(file) };
}

async function* bytesOf(
  segments: readonly UploadSegment[],
  objects: Services['objects'],
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { object_key } of segments) {
    signal?.throwIfAborted();
    const { content } = await objects.get(object_key, undefined, signal);
    yield* content;
  }
}

interface Outcome {
  readonly upload: Upload;
  readonly changes: UploadChanges;
  /** The job that continues the processing, if it has not ended. */
  readonly next?: PlannedJob;
  /** When unused objects are removed. */
  readonly removal_at: string;
}

/** Processes an upload: `in_progress` for the configured time, then `succeeded` or `failed`, unless it must be converted. */
export const mediaProcessing: JobKind<Outcome | undefined> = {
  name: PROCESSING,
  prepare: (job, services, signal) => nextStep(job, services, { signal }),
  store: storeOutcome,
};

/** Converts an upload, and ends its processing. @source decision 1263 */
export const mediaConversion: JobKind<Outcome | undefined> = {
  name: CONVERSION,
  lane: 'heavy',
  prepare: (job, services, signal) => nextStep(job, services, { isConverting: true, signal }),
  store: storeOutcome,
};

async function nextStep(
  { kind, key }: Job,
  services: Services,
  options: ProcessingOptions,
): Promise<Outcome | undefined> {
  const { upload, segments } = await services.store.read(async (tx) => ({
    upload: await tx.uploads.find(key),
    segments: await tx.uploads.listSegments(key),
  }));
  const now = formatInstant(services.clock.now());
  const removal_at = addSeconds(now, services.media.removal_delay_s);
  if (upload?.state === 'in_progress') {
    const changes = await processUpload(upload, segments, services, options);
    if (changes) return { upload, changes, removal_at };
    return { upload, changes: {}, next: { kind: CONVERSION, key, run_at: now }, removal_at };
  }
  if (upload?.state !== 'pending') return undefined;
  // The clock may have been set back. @source decision 612
  const since = upload.changed_at < now ? upload.changed_at : now;
  const run_at = addSeconds(since, services.media.uploadRules.media_processing_s);
  return { upload, changes: { state: 'in_progress' }, next: { kind, key, run_at }, removal_at };
}

async function storeOutcome(
  tx: WriteTransaction,
  { key }: Job,
  outcome: Outcome | undefined,
  now: string,
): Promise<void> {
  if (!outcome) return;
  const { upload, changes, next, removal_at } = outcome;
  await tx.uploads.change(key, upload.state, { ...changes, changed_at: now });
  if (next) await tx.jobs.plan(next);
  else await planRemoval(tx, key, removal_at);
}
