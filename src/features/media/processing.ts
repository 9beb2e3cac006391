import { formatInstant } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import { contentOfBytes, contentOfFile, ObjectMissing } from '../../contract/services/objects.ts';
import type { ReceivedFile } from '../../contract/services/received-files.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { Upload, UploadChanges, UploadSegment } from '../../contract/store/uploads.ts';
import { addSeconds } from './add-seconds.ts';
import { planRemoval } from './expiry.ts';
import { localFileOf } from './local-files.ts';
import { withoutMetadata } from './metadata/without-metadata.ts';
import { readyKey } from './object-keys.ts';
import { makePoster } from './poster.ts';
import { probeFile } from './probe/probe-file.ts';

/** Kind of the jobs that process uploads. */
export const PROCESSING = 'media-processing';

/**
 * Assembles the segments in a file of this machine, probes it, removes its metadata, makes its poster, and stores both as objects. Nothing
 * refers to them until the changes are stored: of several attempts, the objects of one are used, and the others removed
 * with the segments.
 * @source decision 784
 */
export async function processUpload(
  upload: Upload,
  segments: readonly UploadSegment[],
  services: Services,
  signal?: AbortSignal,
): Promise<UploadChanges> {
  const { objects, secrets, media } = services;
  try {
    const file = await localFileOf(segments, services, signal);
    let stripped: ReceivedFile | undefined;
    try {
      signal?.throwIfAborted();
      const found = await probeFile(file.path, upload, media.uploadRules);
      if ('fault' in found) return { state: 'failed', fault: found.fault };
      signal?.throwIfAborted();
      const copy = await withoutMetadata(file.path, found.mime, media.received);
      if (copy && 'fault' in copy) return { state: 'failed', fault: copy.fault };
      stripped = copy;
      signal?.throwIfAborted();
      const poster = await makePoster(stripped?.place ?? file.path, { ...upload, ...found }, media.uploadRules);
      const poster_key = poster ? readyKey(upload.id, 'poster', secrets) : null;
      if (poster) await objects.put(poster_key!, contentOfBytes(poster.bytes), signal);
      // A single segment is the whole file, unless it had metadata.
      const whole = stripped ?? (segments.length === 1 ? undefined : file.assembled!);
      const object_key = whole ? readyKey(upload.id, 'whole', secrets) : segments[0]!.object_key;
      if (whole) await objects.put(object_key, contentOfFile(whole.place, whole.bytes, whole.sha256), signal);
      const bytes = whole?.bytes ?? upload.bytes;
      return { state: 'succeeded', ...found, bytes, poster_mime: poster?.mime ?? null, object_key, poster_key };
    } finally {
      if (stripped) await media.received.discard(stripped);
      await file.discard();
    }
  } catch (error) {
    const isLost = error instanceof ObjectMissing || (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isLost) return { state: 'failed', fault: 'A segment has been lost' };
    throw error;
  }
}

interface Outcome {
  readonly upload: Upload;
  readonly changes: UploadChanges;
  /** When to run again; undefined when processing has ended. */
  readonly next_run_at?: string;
  /** When objects that are no longer used are removed. */
  readonly removal_at: string;
}

/** Processes an upload: `in_progress` for the configured time, then `succeeded` or `failed`. */
export const mediaProcessing: JobKind<Outcome | undefined> = {
  name: PROCESSING,
  async prepare({ key }, services, signal) {
    const { upload, segments } = await services.store.read(async (tx) => ({
      upload: await tx.uploads.find(key),
      segments: await tx.uploads.listSegments(key),
    }));
    const now = formatInstant(services.clock.now());
    const removal_at = addSeconds(now, services.media.removal_delay_s);
    if (upload?.state === 'in_progress') {
      return { upload, changes: await processUpload(upload, segments, services, signal), removal_at };
    }
    if (upload?.state !== 'pending') return undefined;
    // The clock may have been set back. @source decision 612
    const since = upload.changed_at < now ? upload.changed_at : now;
    const next_run_at = addSeconds(since, services.media.uploadRules.media_processing_s);
    return { upload, changes: { state: 'in_progress' }, next_run_at, removal_at };
  },
  async store(tx, { key, kind }, outcome, now) {
    if (!outcome) return;
    const { upload, changes, next_run_at, removal_at } = outcome;
    await tx.uploads.change(key, upload.state, { ...changes, changed_at: now });
    if (next_run_at) await tx.jobs.plan({ kind, key, run_at: next_run_at });
    else await planRemoval(tx, key, removal_at);
  },
};
