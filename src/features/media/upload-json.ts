import { instantMs } from '../../base/instants.ts';
import { mediaKeyOf } from '../../contract/services/media.ts';
import type { Upload } from '../../contract/store/uploads.ts';

/** Suggested polling interval in seconds. */
const CHECK_AFTER_S = 1;
const HALFWAY = 50;

/** The call that a reply belongs to: FINALIZE reports `pending`, STATUS `in_progress`. @source decision 185 */
export type ReplyStage = 'initialize' | 'finalize' | 'status';

type Members = Record<string, unknown>;

/**
 * An upload in a reply of version 1.1. `media_id` exceeds the precision of JavaScript numbers, so the JSON is
 * concatenated.
 */
export function uploadV1Json(upload: Upload, stage: ReplyStage, now: string): string {
  const { id, category } = upload;
  const key = mediaKeyOf(category, id);
  const head = `"media_id":${id},"media_id_string":"${id}","media_key":"${key}"`;
  const members = JSON.stringify(membersOf(upload, stage, now)).slice(1, -1);
  return `{${[head, members].filter(Boolean).join(',')}}`;
}

/** An upload in a reply of version 2. */
export function uploadV2Json(upload: Upload, stage: ReplyStage, now: string): string {
  const { id, category } = upload;
  return JSON.stringify({ data: { id, media_key: mediaKeyOf(category, id), ...membersOf(upload, stage, now) } });
}

/** Members of both versions; media in use does not expire and has no `expires_after_secs`. @source decision 192 */
function membersOf(upload: Upload, stage: ReplyStage, now: string): Members {
  const { state, bytes, expires_at } = upload;
  return {
    ...(state === 'uploading' ? {} : { size: bytes }),
    ...(expires_at === null ? {} : { expires_after_secs: (instantMs(expires_at) - instantMs(now)) / 1000 }),
    ...(state === 'uploading' ? {} : what(upload)),
    ...progress(upload, stage),
  };
}

function what({ media_type, mime, width, height }: Upload): Members {
  if (media_type === 'VIDEO') return { video: { video_type: mime } };
  return { image: { image_type: mime, ...(width === null ? {} : { w: width, h: height }) } };
}

/** The processing state; images have one only in replies to STATUS. @source decision 187 */
function progress({ state, media_type, fault }: Upload, stage: ReplyStage): Members {
  if (state === 'uploading' || (media_type === 'IMAGE' && stage !== 'status')) return {};
  if (state === 'failed') {
    return { processing_info: { state, error: { code: 1, name: 'InvalidMedia', message: fault } } };
  }
  if (state === 'succeeded') return { processing_info: { state, progress_percent: 100 } };
  if (stage === 'finalize' && state === 'pending') {
    return { processing_info: { state, check_after_secs: CHECK_AFTER_S } };
  }
  return { processing_info: { state: 'in_progress', check_after_secs: CHECK_AFTER_S, progress_percent: HALFWAY } };
}
