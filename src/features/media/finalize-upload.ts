import { addSeconds } from '../../base/instants.ts';
import { KeyedMutex } from '../../base/keyed-mutex.ts';
import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Upload, UploadChanges, UploadSegment } from '../../contract/store/uploads.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { CONVERSION, EXPIRY, planRemoval } from './expiry.ts';
import { findOwnUpload } from './own-upload.ts';
import { PROCESSING, processUpload } from './processing.ts';

/** Calls that finalize the same upload take turns, so that only one of them processes it. */
const turns = new KeyedMutex();
/** How often segments may be replaced while they are processed. */
const ATTEMPTS = 3;

/**
 * Finalizes an upload. Images and uploads without a category are processed immediately, others by a
 * job, and so are videos that must be converted. Of concurrent calls, on any node, one takes effect; all report its result.
 * @source decision 186, 784, 1263
 */
export async function finalizeUpload(call: Call, id: string): Promise<Upload> {
  const upload = await findOwnUpload(call, id);
  if (upload.state !== 'uploading') return throwIfRejected(upload);
  if (isProcessedLater(upload)) await closeUpload(call, upload);
  else await turns.run(id, () => processNow(call, id));
  return throwIfRejected(await findOwnUpload(call, id));
}

const isProcessedLater = ({ is_categorized, media_type }: Upload): boolean => is_categorized && media_type !== 'IMAGE';

/** Accepts no more segments, and leaves the rest to a job. */
async function closeUpload(call: Call, upload: Upload): Promise<void> {
  await call.services.store.write(async (tx) => {
    if ((await tx.uploads.lock(upload.id))?.state !== 'uploading') return;
    checkReceivedBytes(upload, await tx.uploads.listSegments(upload.id));
    await end(tx, call, upload, { state: 'pending' });
    await tx.jobs.plan({ kind: PROCESSING, key: upload.id, run_at: call.now });
  });
}

/** Processes the segments; if one was replaced meanwhile, again. */
async function processNow(call: Call, id: string): Promise<void> {
  const { store, media } = call.services;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { upload, segments } = await store.read(async (tx) => ({
      upload: await tx.uploads.find(id),
      segments: await tx.uploads.listSegments(id),
    }));
    if (upload?.state !== 'uploading') return;
    checkReceivedBytes(upload, segments);
    const outcome = await processUpload(upload, segments, call.services);
    const isDone = await store.write(async (tx) => {
      if ((await tx.uploads.lock(id))?.state !== 'uploading') return true;
      if (keysOf(await tx.uploads.listSegments(id)) !== keysOf(segments)) return false;
      await end(tx, call, upload, outcome ?? { state: 'in_progress' });
      if (outcome) await planRemoval(tx, id, addSeconds(call.now, media.removal_delay_s));
      else await tx.jobs.plan({ kind: CONVERSION, key: id, run_at: call.now });
      return true;
    });
    if (isDone) return;
  }
  throw new StoreUnavailable(new Error('segments were replaced while the upload was finalized'));
}

const keysOf = (segments: readonly UploadSegment[]): string => segments.map(({ object_key }) => object_key).join();

async function end(tx: WriteTransaction, call: Call, upload: Upload, changes: UploadChanges): Promise<void> {
  const { media_unused_ttl_s } = call.services.media.uploadRules;
  // Media in use does not expire.
  const expires_at = upload.expires_at && addSeconds(call.now, media_unused_ttl_s);
  await tx.uploads.change(upload.id, 'uploading', { ...changes, changed_at: call.now, expires_at });
  if (expires_at) await tx.jobs.plan({ kind: EXPIRY, key: upload.id, run_at: expires_at });
}

/** Uploads that failed immediate processing give an error on every call. */
function throwIfRejected(upload: Upload): Upload {
  if (upload.state === 'failed' && !isProcessedLater(upload))
    throw problem('MEDIA_INVALID', { words: { reason: upload.fault! } });
  return upload;
}

/** Maximum number of missing segments in a message. */
const MISSING_LISTED_MAX = 10;

/** Only the total size must match; gaps in the segment indexes are accepted. @source decision 191 */
function checkReceivedBytes({ bytes: expected }: Upload, segments: readonly UploadSegment[]): void {
  const received = segments.reduce((total, { bytes }) => total + bytes, 0);
  if (received === expected) return;
  const known = new Set(segments.map(({ segment_index }) => segment_index));
  const last = segments.at(-1)?.segment_index ?? -1;
  const absent = Array.from({ length: last + 1 }, (_, index) => index).filter((index) => !known.has(index));
  const shown = absent.slice(0, MISSING_LISTED_MAX).join(', ');
  const more = absent.length > MISSING_LISTED_MAX ? ` and ${absent.length - MISSING_LISTED_MAX} more` : '';
  const missing = absent.length === 0 ? '' : `, missing segments ${shown}${more}`;
  throw problem('SEGMENTS_INCOMPLETE', { words: { expected, received, missing } });
}
