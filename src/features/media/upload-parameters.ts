import { digits, integer, listOf, text } from '../../contract/declare/fields.ts';
import type { Parameters } from '../../contract/declare/operation.ts';
import { mediaCategory } from './media-categories.ts';

const OWNERS_MAX = 100;
/** Segments are numbered from 0 to one less. */
const SEGMENTS_MAX = 1000;
const BYTES_MAX = 4_294_967_296;

/** What begins an upload. */
export const initializeParameters: Parameters = {
  total_bytes: integer({ min: 1, max: BYTES_MAX }).describe('How many bytes all segments have together.'),
  media_type: text({ max: 100 }).describe('The media type of the file, such as `video/mp4`.'),
  media_category: mediaCategory,
  additional_owners: listOf(digits({ max: 19 }), { max: OWNERS_MAX }).describe('Users who may use the media too.'),
};

/** Which upload is meant. */
export const mediaIdParameter: Parameters = {
  media_id: digits({ max: 19 }).describe('The upload, as its beginning told it.'),
};

/** Which segment of an upload is sent. */
export const segmentParameter: Parameters = {
  segment_index: integer({ min: 0, max: SEGMENTS_MAX - 1 }).describe(
    'Its place; what is sent again replaces the earlier.',
  ),
};
