import { type ApiReply, callApi, isUnavailable, type Refusal, refusalOf } from '../page-api.ts';
import { pause } from '../timers.ts';

/** The result of an upload: the media key, or the reason of a refusal. */
export type UploadedMedia = { readonly is: 'uploaded'; readonly media: string } | Refusal;

/** Percent sent; undefined while the server processes the file. */
export type UploadProgress = number | undefined;

/** Size of a video segment in bytes. */
const SEGMENT = 4 * 1024 * 1024;
const TRIES = 3;
/** The result of an aborted upload; its segments expire on the server. */
const ABANDONED = { is: 'refused', why: '' } as const;

/** Whether a file is uploaded in segments. */
export const isVideo = ({ type }: File): boolean => type.startsWith('video/');

/**
 * Uploads a picture in one call, or a video in segments, and waits until it is processed.
 * @param path below `/console/api`
 * @param signal abandons the upload: its result then means nothing
 */
export async function uploadMedia(
  path: string,
  file: File,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: UploadProgress) => void },
): Promise<UploadedMedia> {
  if (!isVideo(file)) return outcomeOf(await callApi('POST', path, formOf({ media: file })));
  const begun = await callApi(
    'POST',
    path,
    // Ad videos have their own media category.
    formOf({
      command: 'INIT',
      total_bytes: String(file.size),
      media_type: file.type,
      media_category: 'amplify_video',
    }),
  );
  if (begun.status >= 300) return refusalOf(begun);
  const media_id: string = begun.body.media_id_string;
  for (let from = 0; from < file.size; from += SEGMENT) {
    if (signal.aborted) return ABANDONED;
    onProgress(Math.floor((100 * from) / file.size));
    const segment = { command: 'APPEND', media_id, segment_index: String(from / SEGMENT) };
    const reply = await insistently(() =>
      callApi('POST', path, formOf({ ...segment, media: file.slice(from, from + SEGMENT) })),
    );
    if (reply.status >= 300) return refusalOf(reply);
  }
  onProgress(undefined);
  let reply = await callApi('POST', path, formOf({ command: 'FINALIZE', media_id }));
  while (!signal.aborted && reply.status < 300 && /pending|in_progress/.test(reply.body.processing_info?.state ?? '')) {
    await pause(1000 * (reply.body.processing_info.check_after_secs ?? 1), signal);
    reply = await insistently(() => callApi('GET', `${path}?command=STATUS&media_id=${media_id}`));
  }
  return outcomeOf(reply);
}

function outcomeOf(reply: ApiReply): UploadedMedia {
  if (reply.status >= 300) return refusalOf(reply);
  const { media_key, processing_info } = reply.body;
  if (processing_info?.state === 'failed') return { is: 'refused', why: processing_info.error?.message ?? '' };
  return { is: 'uploaded', media: media_key };
}

/** Retries an idempotent call a few times while the server is unavailable. */
async function insistently(call: () => Promise<ApiReply>): Promise<ApiReply> {
  for (let tries = 1; ; tries++) {
    const reply = await call();
    if (!isUnavailable(reply) || tries === TRIES) return reply;
    await pause(1000 * (reply.retryAfter_s || tries));
  }
}

function formOf(members: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.set(name, value);
  return form;
}
