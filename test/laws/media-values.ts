import { fc } from '../rig/laws.ts';
import { oneLine } from './targeting-values.ts';
import { beginning, campaign, count, type Input, ids, mostly, name, ref, sort, truth, type Value } from './values.ts';

/** Few keys, so that programs meet the same ones again, changed and deleted. */
const KEYS = ['3_1', '3_2', '7_3', '13_4', '13_5', '16_6'] as const;
/** A media key. */
export const mediaKey = mostly<string>(fc.constantFrom(...KEYS), '3_9', '4_1', 'x', '3_', '%00');
const poster = mostly<Value>(fc.constantFrom('3_1', '3_2', '3_3', '3_4'), '', '7_3', 'x');
/** Account media of the run. */
export const accountMedia = ref('media');

/** What is said of media. */
export const mediaFields: Input = { name, file_name: name, title: name, description: name, poster_media_key: poster };
/** What puts media into the library. */
export const addedMedia: Input = {
  ...mediaFields,
  media_key: mostly<Value>(mediaKey, '', '5', 13),
  media_category: fc.constantFrom('POST_VIDEO', 'POST_VIDEO', 'AMPLIFY_VIDEO', 'x'),
};
/** Conditions of the list of media. */
export const mediaList: Input = {
  count: mostly<Value>(fc.constantFrom(1, 2, 50), 51, 0),
  media_type: mostly<Value>(fc.constantFrom('GIF', 'IMAGE', 'VIDEO', 'VIDEO,GIF'), 'image', ''),
  q: fc.oneof(beginning, name),
};
/** Conditions of the list of account media. */
export const accountMediaList: Input = {
  count,
  creative_types: mostly<Value>(fc.constantFrom('PREROLL', 'BANNER', 'PREROLL,BANNER'), 'x', ''),
  account_media_ids: ids(accountMedia),
  with_deleted: truth,
  sort_by: sort('created_at', 'updated_at', 'deleted'),
};

const url = mostly<Value>(fc.constantFrom('https://a.example/x', 'HTTP://b.example'), '', 'ftp://c', 'x');
/** A media creative. */
export const mediaCreative: Input = { line_item_id: oneLine, account_media_id: accountMedia, landing_url: url };
/** A preroll call to action. */
export const callToAction: Input = {
  line_item_id: oneLine,
  call_to_action: mostly<Value>(fc.constantFrom('SHOP', 'GO_TO'), 'x', ''),
  call_to_action_url: url,
};
/** Conditions of the lists of what shows media. */
export const creativeList: Input = {
  count,
  line_item_ids: ids(oneLine),
  campaign_id: campaign,
  with_deleted: truth,
};
