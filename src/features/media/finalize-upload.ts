import type { Call } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { Segment } from '../../contract/services/blobs.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import { EXPIRY } from './expiry.ts';
import { addSeconds } from './initialize-upload.ts';
import { findOwnUpload } from './own-upload.ts';
import { PROCESSING, processUpload } from './processing.ts';

/**
 * Finalizes an upload. Images and uploads without a category are processed immediately, others by a
 * job. Of concurrent calls, one takes effect; all report its result.
 * @source decision 186
 */
export async function finalizeUpload(call: Call, id: string): Promise<Upload> {
  const upload = await findOwnUpload(call, id);
  if (upload.state !== 'uploading') return throwIfRejected(upload);
  const {
    media: { blobs, uploadRules: uploads },
    store,
  } = call.services;
  checkReceivedBytes(upload, await blobs.segments(id));
  await blobs.seal(id);
  try {
    // A segment may have been replaced by one of another length meanwhile.
    checkReceivedBytes(upload, await blobs.segments(id));
  } catch (error) {
    await blobs.unseal(id);
    throw error;
  }
  const isLater = upload.is_categorized && upload.media_type !== 'IMAGE';
  const outcome = isLater ? ({ state: 'pending' } as const) : await processUpload(upload, call.services);
  // Media in use does not expire.
  const expires_at = upload.expires_at && addSeconds(call.now, uploads.media_unused_ttl_s);
  await store.write(async (tx) => {
    const changes = { ...outcome, changed_at: call.now, expires_at };
    if (!(await tx.uploads.change(id, 'uploading', changes))) return;
    if (expires_at) await tx.jobs.plan({ kind: EXPIRY, key: id, run_at: expires_at });
    if (isLater) await tx.jobs.plan({ kind: PROCESSING, key: id, run_at: call.now });
  });
  return throwIfRejected(await findOwnUpload(call, id));
}

/** Uploads that failed immediate processing give an error on every call. */
function throwIfRejected(upload: Upload): Upload {
  const isLater = upload.is_categorized && upload.media_type !== 'IMAGE';
  if (upload.state === 'failed' && !isLater) throw problem('MEDIA_INVALID', { words: { reason: upload.fault! } });
  return upload;
}

/** Maximum number of missing segments in a message. */
const MISSING_LISTED_MAX = 10;

/** Only the total size must match; gaps in the segment indexes are accepted. @source decision 191 */
function checkReceivedBytes({ bytes: expected }: Upload, segments: readonly Segment[]): void {
  const received = segments.reduce((total, { bytes }) => total + bytes, 0);
  if (received === expected) return;
  const known = new Set(segments.map(({ index }) => index));
  const last = segments.at(-1)?.index ?? -1;
  const absent = Array.from({ length: last + 1 }, (_, index) => index).filter((index) => !known.has(index));
  const shown = absent.slice(0, MISSING_LISTED_MAX).join(', ');
  const more = absent.length > MISSING_LISTED_MAX ? ` and ${absent.length - MISSING_LISTED_MAX} more` : '';
  const missing = absent.length === 0 ? '' : `, missing segments ${shown}${more}`;
  throw problem('SEGMENTS_INCOMPLETE', { words: { expected, received, missing } });
}
