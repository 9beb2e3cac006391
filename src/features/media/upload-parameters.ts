import { digits, integer, listOf, text } from '../../contract/declare/fields.ts';
import type { Operation, Parameters } from '../../contract/declare/operation.ts';
import { mediaCategory } from './media-categories.ts';

/** The group of upload operations in the reference page. */
export const UPLOAD_GROUP = 'media_upload';
/** Description of the group. */
export const UPLOAD_GROUP_DESCRIPTION =
  'Uploads media in segments, in any order and resumable, or an image in one call. Metadata such as position and names is ' +
  'removed; what not every browser shows, such as TIFF or HEVC, is converted where the server has ffmpeg, and fails elsewhere. ' +
  'Unused media is removed after a day.';

/** The multipart parts that hold the file. */
export const uploadFiles: NonNullable<Operation['files']> = {
  media: { about: 'The file.', isBase64: false },
  media_data: { about: 'The file as base64, instead of media.', isBase64: true },
};

/** Maximum size of a part in bytes: a segment or an image. @source decision 188 */
export const uploadBytesMax: NonNullable<Operation['bytesMax']> = (rules) =>
  Math.max(rules.media_segment_bytes_max, rules.media_image_bytes_max);

const OWNERS_MAX = 100;
/** Segment indexes are 0 to this minus 1. */
const SEGMENTS_MAX = 1000;
const BYTES_MAX = 4_294_967_296;

/** Parameters of INIT. */
export const initializeParameters: Parameters = {
  total_bytes: integer({ min: 1, max: BYTES_MAX }).describe('Total size in bytes.'),
  media_type: text({ max: 100 }).describe('Media type of the file, such as `video/mp4`.'),
  media_category: mediaCategory,
  additional_owners: listOf(digits({ max: 19 }), { max: OWNERS_MAX }).describe(
    'Ids of other users who may use the media.',
  ),
};

/** The parameter for an upload. */
export const mediaIdParameter: Parameters = {
  media_id: digits({ max: 19 }).describe('Id of the upload, from the reply to INIT.'),
};

/** Parameters of APPEND. */
export const segmentParameter: Parameters = {
  segment_index: integer({ min: 0, max: SEGMENTS_MAX - 1 }).describe(
    'Segment index from 0; a repeated index replaces the segment.',
  ),
};
