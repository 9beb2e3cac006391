import { formatInstant } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { Upload, UploadChanges } from '../../contract/store/uploads.ts';
import { later } from './initialize.ts';
import { posterOf } from './poster.ts';
import { probe } from './probe/probe.ts';

/** The kind of jobs that process what was sent. */
export const PROCESSING = 'media-processing';

/** Puts together what was sent and looks at it: what it is, or why it is not good. May happen more than once. */
export async function whatComesOf(upload: Upload, { blobs, uploads }: Services): Promise<UploadChanges> {
  await blobs.assemble(upload.id);
  const path = blobs.pathOf(upload.id, 'whole');
  const found = await probe(path, upload, uploads);
  if ('fault' in found) return { state: 'failed', fault: found.fault };
  const poster = await posterOf(path, { ...upload, ...found }, uploads);
  if (poster) await blobs.write(upload.id, 'poster', poster.bytes);
  return { state: 'succeeded', ...found, poster_mime: poster?.mime ?? null };
}

interface Outcome {
  readonly upload: Upload;
  readonly changes: UploadChanges;
  /** When to look again; undefined when it has ended. */
  readonly again_at?: string;
}

/** Processes an upload: it is in progress for a while, then it has succeeded or failed. */
export const mediaProcessing: JobKind<Outcome | undefined> = {
  name: PROCESSING,
  async outside({ key }, services) {
    const upload = await services.store.read((tx) => tx.uploads.find(key));
    if (upload?.state === 'in_progress') return { upload, changes: await whatComesOf(upload, services) };
    if (upload?.state !== 'pending') return undefined;
    const now = formatInstant(services.clock.now());
    // The clock may have been set back since.
    const since = upload.changed_at < now ? upload.changed_at : now;
    const again_at = later(since, services.uploads.media_processing_s);
    return { upload, changes: { state: 'in_progress' }, again_at };
  },
  async store(tx, { key, kind }, outcome, now) {
    if (!outcome) return;
    const { upload, changes, again_at } = outcome;
    await tx.uploads.change(key, upload.state, { ...changes, changed_at: now });
    if (again_at) await tx.jobs.plan({ kind, key, run_at: again_at });
  },
};
