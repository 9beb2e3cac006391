import { digits, integer, listOf, text } from '../../contract/declare/fields.ts';
import type { Parameters } from '../../contract/declare/operation.ts';
import { mediaCategory } from './media-categories.ts';

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
