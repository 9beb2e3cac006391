import { integer, oneOf, text } from '../../../contract/declare/fields.ts';
import type { Computed } from '../../../contract/declare/resource.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import type { UploadState } from '../../../contract/store/uploads.ts';
import { describeMedia } from './describe-media.ts';
import type { LibraryRow } from './library-rows.ts';
import { firstFrameKey } from './library-values.ts';
import { uploadsById } from './usable-media.ts';

const STATUSES = {
  uploading: 'TRANSCODE_PENDING',
  pending: 'TRANSCODE_PENDING',
  in_progress: 'TRANSCODE_IN_PROGRESS',
  succeeded: 'TRANSCODE_COMPLETED',
  failed: 'TRANSCODE_FAILED',
} as const satisfies Record<UploadState, string>;

const URL_MAX = 2000;

/** Computed fields of library entries, read from the upload. @source creatives 3 */
export const libraryComputedFields: Computed<LibraryRow> = {
  fields: {
    media_status: oneOf(...new Set(Object.values(STATUSES)))
      .required()
      .readOnly()
      .describe('Transcoding status.'),
    media_url: text({ max: URL_MAX }).required().readOnly().describe('URL of the file.'),
    duration: integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
      .readOnly()
      .describe('Duration of a video in milliseconds.'),
    aspect_ratio: text({ max: 64 }).readOnly().describe('Aspect ratio of a video or GIF as `w:h` in lowest terms.'),
    poster_media_url: text({ max: URL_MAX }).readOnly().describe('Poster URL of a video or GIF.'),
  },
  async prepare(rows, { tx, media, account }) {
    const place = { media, environment: account!.environment };
    const keys = rows.flatMap(({ id, poster_media_key }) => [id, ...(poster_media_key ? [poster_media_key] : [])]);
    const uploads = await uploadsById(
      tx,
      keys.map((key) => numberOf(key)),
    );
    const of = (key: string) => describeMedia(key, uploads.get(numberOf(key)), place);
    return ({ id, media_type, poster_media_key: poster }) => {
      const { state, url, duration_ms, aspect_ratio, poster_url } = of(id);
      return {
        media_status: STATUSES[state],
        media_url: url,
        duration: duration_ms,
        aspect_ratio: media_type === 'IMAGE' ? null : aspect_ratio,
        poster_media_url: poster && poster !== firstFrameKey(id) ? of(poster).url : poster_url,
      };
    };
  },
};

function numberOf(key: string): string {
  return parseMediaKey(key)!.number;
}
