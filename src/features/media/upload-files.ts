import type { Operation } from '../../contract/declare/operation.ts';

/** The group of the calls that upload media. */
export const UPLOAD_GROUP = 'media_upload';
/** What the group is about. */
export const UPLOAD_GROUP_ABOUT =
  'Media comes in here: in segments, in any order and again after an interruption, or an image at once. What is not used within a day is removed.';

/** The parts that hold bytes. */
export const uploadFiles: NonNullable<Operation['files']> = {
  media: { about: 'The bytes.', isBase64: false },
  media_data: { about: 'The bytes as base64, in place of media.', isBase64: true },
};

/** How many bytes one part may have, be it a segment or an image. */
export const uploadBytesMax: NonNullable<Operation['bytesMax']> = (rules) =>
  Math.max(rules.media_segment_bytes_max, rules.media_image_bytes_max);
