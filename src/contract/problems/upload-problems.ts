import type { ProblemRow } from './problems.ts';

/** Errors of media uploads. @source creatives 2.1 */
export const uploadProblems = {
  PARTS_UNREADABLE: {
    when: 'a multipart body that is truncated, has no boundary, or has too many parts',
    numeric: [400, 44, 'The multipart body is not well-formed.'],
  },
  FILE_TOO_LARGE: {
    when: 'a file larger than a segment or an image may be',
    numeric: [400, 324, 'The file has more than {max} bytes.'],
  },
  FILE_NOT_IN_PARTS: {
    when: 'a file that is not part of a multipart body',
    numeric: [400, 324, '{parameter} must be a part of a multipart/form-data body.'],
  },
  NOT_BASE64: {
    when: 'malformed base64',
    numeric: [400, 324, '{parameter} is not valid base64.'],
  },
  FILE_MISSING: {
    when: 'neither media nor media_data, or an empty file',
    numeric: [400, 38, '{a} or {b} parameter is missing.'],
  },
  FILES_EXCLUSIVE: {
    when: 'both media and media_data',
    numeric: [400, 324, '{a} and {b} are exclusive parameters.'],
  },
  MEDIA_TYPE_UNKNOWN: {
    when: 'an unsupported media type',
    numeric: [400, 324, 'media type unrecognized.'],
  },
  MEDIA_CATEGORY_UNFIT: {
    when: 'a media type that the category does not accept',
    numeric: [400, 324, '{category} does not take {mime}.'],
  },
  MEDIA_TOO_LARGE: {
    when: 'a file larger than the category accepts',
    numeric: [400, 324, '{category} takes at most {max} bytes, got {bytes}.'],
  },
  UPLOAD_UNKNOWN: {
    when: 'an upload that does not exist, has expired, or belongs to another user',
    numeric: [400, 324, 'Invalid or expired media_id.'],
  },
  UPLOAD_CLOSED: {
    when: 'a segment for a finalized upload',
    numeric: [400, 324, 'The upload is finalized and takes no more segments.'],
  },
  SEGMENTS_EXCEED: {
    when: 'segments larger in total than declared',
    numeric: [
      400,
      324,
      'Segments exceed the provided total file size: expected {expected} bytes, received {received}.',
    ],
  },
  SEGMENTS_INCOMPLETE: {
    when: 'segments that do not add up to the declared size',
    numeric: [
      400,
      324,
      'Segments do not add up to provided total file size: expected {expected} bytes, received {received}{missing}.',
    ],
  },
  MEDIA_INVALID: {
    when: 'a damaged file: wrong type, truncated, or with too many pixels',
    numeric: [400, 324, 'The media is not valid: {reason}.'],
  },
} as const satisfies Record<string, ProblemRow>;
