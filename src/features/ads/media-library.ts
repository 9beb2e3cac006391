import { integer, oneOf, text } from '../../contract/declare/fields.ts';
import { type Computed, resource } from '../../contract/declare/resource.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { type MediaType, parseMediaKey } from '../../contract/services/media.ts';
import type { UploadState } from '../../contract/store/uploads.ts';
import { type LibraryRow, libraryRows } from './media/library-rows.ts';
import { checkLibraryValues, firstFrameKey, type LibraryValues } from './media/library-values.ts';
import { describeMedia, uploadsById } from './media/usable-media.ts';

const STATUSES = {
  uploading: 'TRANSCODE_PENDING',
  pending: 'TRANSCODE_PENDING',
  in_progress: 'TRANSCODE_IN_PROGRESS',
  succeeded: 'TRANSCODE_COMPLETED',
  failed: 'TRANSCODE_FAILED',
} as const satisfies Record<UploadState, string>;

const URL_MAX = 2000;

/** Computed fields of library entries, read from the upload. @source creatives 3 */
const libraryComputedFields: Computed<LibraryRow> = {
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
    const place = { media, environment: account.environment };
    const keys = rows.flatMap(({ id, poster_media_key }) => [id, ...(poster_media_key ? [poster_media_key] : [])]);
    const uploads = await uploadsById(tx, keys.map(numberOf));
    const describe = (key: string) => describeMedia(key, uploads.get(numberOf(key)), place);
    return ({ id, media_type, poster_media_key: poster }) => {
      const { state, url, duration_ms, aspect_ratio, poster_url } = describe(id);
      return {
        media_status: STATUSES[state],
        media_url: url,
        duration: duration_ms,
        aspect_ratio: media_type === 'IMAGE' ? null : aspect_ratio,
        poster_media_url: poster && poster !== firstFrameKey(id) ? describe(poster).url : poster_url,
      };
    };
  },
};

function numberOf(key: string): string {
  return parseMediaKey(key)!.number;
}

/**
 * Media library: the images, GIFs and videos that an account can use in creatives.
 * @source advertising 11; creatives 3
 */
export const mediaLibrary = resource({
  ...libraryRows,
  derive: (row) =>
    row.media_type === 'IMAGE' ? {} : { poster_media_key: row.poster_media_key ?? firstFrameKey(row.id) },
  rules: [valuesAreValid],
  problems: ['NOT_OF_IMAGES', 'INVALID_MEDIA', 'MEDIA_NOT_TRANSCODED', 'MEDIA_OF_OTHER_TYPE'],
  computed: libraryComputedFields,
});

/** Rule: checks changed values only, so that a deleted poster does not block other changes. @source decision 206 */
async function valuesAreValid(change: Change<LibraryRow>): Promise<ErrorDetail[]> {
  const { before, after } = change;
  const names = ['title', 'description', 'poster_media_key'] as const;
  const changed = names.filter((name) => after[name] !== before?.[name]).map((name) => [name, after[name]]);
  const values = Object.fromEntries(changed) as LibraryValues;
  return checkLibraryValues(change, { key: after.id, type: after.media_type as MediaType }, values);
}
