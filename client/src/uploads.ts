import type { Operations } from './generated/operations.ts';
import type { MediaV2FinalizeReply, MediaV2InitializeBody } from './generated/types.ts';
import { type Bytes, type CallOptions, pause } from './transport.ts';

/** An uploaded file. */
export type UploadedMedia = MediaV2FinalizeReply['data'];

/** How a file is uploaded. */
export interface UploadOptions extends CallOptions {
  /** Such as `video/mp4`; by default that of the Blob. */
  readonly media_type?: MediaV2InitializeBody['media_type'];
  readonly media_category?: MediaV2InitializeBody['media_category'];
  /** The bytes of a part; 4 MiB by default. */
  readonly partBytes?: number | undefined;
  /** Called after each part. */
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
}

/** The server could not use an uploaded file. */
export class MediaFailed extends Error {
  override readonly name = 'MediaFailed';
  readonly media: UploadedMedia;

  constructor(media: UploadedMedia) {
    super(media.processing_info?.error?.message ?? 'The file could not be processed');
    this.media = media;
  }
}

const PART_BYTES = 4 * 1024 * 1024;

/** Uploads a file in parts, and waits until it has been processed. */
export async function upload(
  calls: Operations['mediaV2'],
  file: Bytes,
  options: UploadOptions = {},
): Promise<UploadedMedia> {
  const { partBytes = PART_BYTES, media_category, onProgress, signal } = options;
  const blob = file instanceof Blob ? file : new Blob([file]);
  const media_type = (options.media_type ?? blob.type) as NonNullable<MediaV2InitializeBody['media_type']>;
  const { data: begun } = await calls.initialize({ media_type, media_category, total_bytes: blob.size }, { signal });
  for (let [start, segment_index] = [0, 0]; start < blob.size; start += partBytes, segment_index++) {
    const media = blob.slice(start, start + partBytes);
    await calls.append({ id: begun.id, segment_index, media }, { signal });
    onProgress?.(Math.min(start + partBytes, blob.size), blob.size);
  }
  let { data } = await calls.finalize({ id: begun.id }, { signal });
  while (data.processing_info?.check_after_secs !== undefined) {
    await pause(data.processing_info.check_after_secs, signal);
    ({ data } = await calls.uploadStatus({ media_id: begun.id }, { signal }));
  }
  if (data.processing_info?.state === 'failed') throw new MediaFailed(data);
  return data;
}
