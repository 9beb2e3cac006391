import type { Operation } from '../../contract/declare/operation.ts';

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
