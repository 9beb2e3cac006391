import { formatInstant } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { Upload, UploadChanges } from '../../contract/store/uploads.ts';
import { addSeconds } from './initialize-upload.ts';
import { makePoster } from './poster.ts';
import { probeFile } from './probe/probe-file.ts';

/** Kind of the jobs that process uploads. */
export const PROCESSING = 'media-processing';

/** Assembles the segments, probes the file and makes its poster. Idempotent. */
export async function processUpload(
  upload: Upload,
  { media: { blobs, uploadRules: uploads } }: Services,
  signal?: AbortSignal,
): Promise<UploadChanges> {
  await blobs.assemble(upload.id);
  signal?.throwIfAborted();
  const path = blobs.pathOf(upload.id, 'whole');
  const found = await probeFile(path, upload, uploads);
  if ('fault' in found) return { state: 'failed', fault: found.fault };
  signal?.throwIfAborted();
  const poster = await makePoster(path, { ...upload, ...found }, uploads);
  if (poster) await blobs.write(upload.id, 'poster', poster.bytes);
  return { state: 'succeeded', ...found, poster_mime: poster?.mime ?? null };
}

interface Outcome {
  readonly upload: Upload;
  readonly changes: UploadChanges;
  /** When to run again; undefined when processing has ended. */
  readonly next_run_at?: string;
}

/** Processes an upload: `in_progress` for the configured time, then `succeeded` or `failed`. */
export const mediaProcessing: JobKind<Outcome | undefined> = {
  name: PROCESSING,
  async prepare({ key }, services, signal) {
    const upload = await services.store.read((tx) => tx.uploads.find(key));
    if (upload?.state === 'in_progress') return { upload, changes: await processUpload(upload, services, signal) };
    if (upload?.state !== 'pending') return undefined;
    const now = formatInstant(services.clock.now());
    // The clock may have been set back. @source decision 612
    const since = upload.changed_at < now ? upload.changed_at : now;
    const next_run_at = addSeconds(since, services.media.uploadRules.media_processing_s);
    return { upload, changes: { state: 'in_progress' }, next_run_at };
  },
  async store(tx, { key, kind }, outcome, now) {
    if (!outcome) return;
    const { upload, changes, next_run_at } = outcome;
    await tx.uploads.change(key, upload.state, { ...changes, changed_at: now });
    if (next_run_at) await tx.jobs.plan({ kind, key, run_at: next_run_at });
  },
};
