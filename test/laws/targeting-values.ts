import { fc } from '../rig/laws.ts';
import { count, DIFFICULT, type Input, ids, type JsonValue, ref, some, sort, truth, type Value } from './values.ts';

/** One of the few newest line items of the run: limits are met on them. */
export const oneLine = ref('line', fc.nat(6));
/** A targeting criterion of the run. */
export const criterion = ref('criterion');
/** Something else that belongs to a line item. */
export const child = ref('child');

/** Types with a few values each, so that programs meet the same ones again, and limits. */
const TARGETS: readonly (readonly [type: string, ...values: string[]])[] = [
  ['LOCATION', '96683cc9126741d1', '5122804691e5fecc', 'nowhere'],
  ['AGE', 'AGE_OVER_13', 'AGE_OVER_50', 'AGE_18_TO_24'],
  ['LANGUAGE', 'en', 'de'],
  ['PLATFORM', '0', '1'],
  ['DEVICE', '1q', '1r'],
  ['WIFI_ONLY', '1', 'true'],
  ['NETWORK_ACTIVATION_DURATION', '6', '06', '25', 'x'],
  ['BROAD_KEYWORD', ...DIFFICULT],
  ['EXACT_KEYWORD', 'tea', 'TEA', ' tea'],
  ['EVENT', '1ex', '1ez'],
  ['TV_SHOW', '10001'],
  ['ENGAGEMENT_TYPE', 'IMPRESSION'],
  ['USER_ENGAGEMENT', '900000001', '7'],
  ['SIMILAR_TO_FOLLOWERS_OF_USER', '1', '900000002'],
  ['IAB_CATEGORY', 'IAB2', 'IAB1-4', 'IAB3', 'IAB13', 'IAB21', 'IAB99'],
  ['CONTENT_PUBLISHER_USER', '1', '2', '3'],
  ['CUSTOM_AUDIENCE', '1nmth'],
  ['CUSTOM_AUDIENCE_EXPANDED', '1nmth'],
  ['NO_SUCH', 'x'],
];

/** What most line items take: without these most batches would fail. */
const SAFE: typeof TARGETS = [
  ['LANGUAGE', 'en', 'de'],
  ['EXACT_KEYWORD', 'tea', 'TEA', 'coffee'],
  ['LOCATION', '96683cc9126741d1', '5122804691e5fecc'],
];

const target: fc.Arbitrary<Record<string, Value>> = fc
  .constantFrom(...TARGETS, ...SAFE, ...SAFE, ...SAFE)
  .chain(([targeting_type, ...values]) =>
    fc.record({ targeting_type: fc.constant(targeting_type), targeting_value: fc.constantFrom(...values) }),
  );
const operator = fc.constantFrom('EQ', 'EQ', 'NE', 'NE', 'LT', 'GTE', 'eq');

/** Parameters of a new criterion. */
export const criterionFields: fc.Arbitrary<Record<string, Value>> = fc
  .tuple(
    oneLine,
    target,
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: some({ operator_type: operator }) }),
  )
  .map(([line_item_id, what, how]) => ({ line_item_id, ...what, ...how }));

/** Conditions of the list of criteria. */
export const criterionList: Input = {
  count,
  sort_by: sort('created_at', 'updated_at', 'deleted'),
  with_deleted: truth,
  line_item_ids: ids(oneLine),
  targeting_criterion_ids: ids(criterion),
  lang: fc.constantFrom('de', 'ja', 'xx', '', '-'),
};

const item: fc.Arbitrary<JsonValue> = fc.oneof(
  {
    weight: 4,
    arbitrary: criterionFields.map((params) => ({ operation_type: 'Create', params: params as JsonValue })),
  },
  {
    weight: 2,
    arbitrary: criterion.map((targeting_criterion_id) => ({
      operation_type: 'Delete',
      params: { targeting_criterion_id } as JsonValue,
    })),
  },
);
/** The body of a batch of criteria. */
export const criterionBatch: fc.Arbitrary<JsonValue> = fc.array(item, { minLength: 1, maxLength: 4 });

/** What else belongs to line items: parameters by the name of the resource. */
export const children = {
  tracking_tags: {
    line_item_id: oneLine,
    tracking_tag_type: fc.constantFrom('IMPRESSION_TAG', 'CLICK_TRACKER', 'x'),
    tracking_tag_url: fc.constantFrom('https://example.com/é?a=1', 'https://example.com', 'http://x', ''),
  },
  line_item_curated_categories: {
    line_item_id: oneLine,
    curated_category_id: fc.constantFrom('9ddk3gesia6o', '9ddk3gesia60', 'zz9'),
  },
  promoted_accounts: { line_item_id: oneLine, user_id: fc.constantFrom('900000001', '7', 'x') },
} satisfies Record<string, Input>;

/** Conditions of the lists of what else belongs to line items. */
export const childList: Input = {
  count,
  sort_by: sort('created_at', 'updated_at', 'deleted'),
  with_deleted: truth,
  line_item_ids: ids(oneLine),
};
