import { instantMs } from '../../base/instants.ts';
import { Type } from '../../base/json-schema.ts';
import { mediaKeyOf } from '../../contract/services/media.ts';
import type { Upload } from '../../contract/store/uploads.ts';

/** Suggested polling interval in seconds. */
const CHECK_AFTER_S = 1;
const HALFWAY = 50;

/** The call that a reply belongs to: only FINALIZE reports `pending`, others `in_progress`. @source decision 185 */
export type ReplyStage = 'initialize' | 'finalize' | 'status';

/**
 * An upload in a reply of version 1.1. `media_id` exceeds the precision of JavaScript numbers, so the JSON is
 * concatenated.
 */
export function uploadV1Json(upload: Upload, stage: ReplyStage, now: string): string {
  const { id, category } = upload;
  const members = JSON.stringify({
    media_id_string: id,
    media_key: mediaKeyOf(category, id),
    ...membersOf(upload, stage, now),
  });
  return `{"media_id":${id},${members.slice(1)}`;
}

/** An upload in a reply of version 2. */
export function uploadV2Json(upload: Upload, stage: ReplyStage, now: string): string {
  const { id, category } = upload;
  return JSON.stringify({ data: { id, media_key: mediaKeyOf(category, id), ...membersOf(upload, stage, now) } });
}

/** Members of both versions; media in use does not expire and has no `expires_after_secs`. @source decision 192 */
function membersOf(upload: Upload, stage: ReplyStage, now: string) {
  const { state, bytes, expires_at, media_type, mime, width, height } = upload;
  const isReceived = state !== 'uploading';
  const isVideo = media_type === 'VIDEO';
  return {
    size: isReceived ? bytes : undefined,
    expires_after_secs: expires_at === null ? undefined : (instantMs(expires_at) - instantMs(now)) / 1000,
    video: isReceived && isVideo ? { video_type: mime } : undefined,
    image: isReceived && !isVideo ? { image_type: mime, w: width ?? undefined, h: height ?? undefined } : undefined,
    processing_info: processingInfo(upload, stage),
  };
}

/** The processing state; images have one only in replies to STATUS. @source decision 187 */
function processingInfo({ state, media_type, fault }: Upload, stage: ReplyStage) {
  if (state === 'uploading' || (media_type === 'IMAGE' && stage !== 'status')) return undefined;
  if (state === 'failed') return { state, error: { code: 1, name: 'InvalidMedia', message: fault } };
  if (state === 'succeeded') return { state, progress_percent: 100 };
  if (stage === 'finalize' && state === 'pending') return { state, check_after_secs: CHECK_AFTER_S };
  return { state: 'in_progress', check_after_secs: CHECK_AFTER_S, progress_percent: HALFWAY };
}

const DIGITS = '^\\d{1,19}$';
const KEY = '^(3|7|13|16)_\\d{1,19}$';

const failure = Type.Closed({ code: Type.Literal(1), name: Type.Literal('InvalidMedia'), message: Type.String() });

const processing = Type.Closed({
  state: Type.Union(['pending', 'in_progress', 'succeeded', 'failed'].map((state) => Type.Literal(state))),
  check_after_secs: Type.Optional(Type.Integer({ minimum: 1 })),
  progress_percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  error: Type.Optional(failure),
});

const side = Type.Optional(Type.Integer({ minimum: 1 }));

const common = {
  media_key: Type.String({ pattern: KEY }),
  size: Type.Optional(Type.Integer({ minimum: 1 })),
  expires_after_secs: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Seconds until the media is removed if unused; absent once used.' }),
  ),
  image: Type.Optional(Type.Closed({ image_type: Type.String(), w: side, h: side })),
  video: Type.Optional(Type.Closed({ video_type: Type.String() })),
  processing_info: Type.Optional(processing),
};

/** An upload in replies of version 1.1. */
export const uploadV1Schema = Type.Closed({
  media_id: Type.Number({
    description: 'Exceeds the integer precision of many JSON parsers; use `media_id_string`.',
  }),
  media_id_string: Type.String({ pattern: DIGITS }),
  ...common,
});

const second = Type.Closed({ id: Type.String({ pattern: DIGITS }), ...common });

/** An upload in replies of version 2. */
export const uploadV2Schema = Type.Closed({ data: second });

const expiring = Type.Closed({ expires_at: Type.Integer({ description: 'Unix seconds.' }) });

/** The reply of version 2 to APPEND. */
export const appendV2Schema = Type.Closed({ data: expiring });

/** The reply of version 2 to any command. */
export const commandV2Schema = Type.Closed({ data: Type.Union([second, expiring]) });
