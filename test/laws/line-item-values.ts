import { fc } from '../rig/laws.ts';
import {
  beginning,
  campaign,
  count,
  type Input,
  ids,
  instrument,
  type JsonValue,
  line,
  micros,
  mostly,
  name,
  some,
  sort,
  status,
  time,
  truth,
  type Value,
} from './values.ts';

/** What every line item needs; most of them aim at the same, or hardly two would fit one campaign. */
const needed: Input = {
  campaign_id: mostly<Value>(campaign, '', 'zz!', 'zzzz9'),
  objective: fc.constantFrom('REACH', 'REACH', 'REACH', 'REACH', 'APP_INSTALLS', 'PREROLL_VIEWS', 'FOLLOWERS', 'x'),
  product_type: fc.constantFrom('PROMOTED_POSTS', 'PROMOTED_POSTS', 'PROMOTED_POSTS', 'PROMOTED_POSTS', 'MEDIA', 'x'),
  placements: mostly<Value>(
    fc.constantFrom('ALL_ON_SERVICE', 'SERVICE_TIMELINE', 'SERVICE_TIMELINE,SERVICE_SEARCH', 'PUBLISHER_NETWORK'),
    ...['', 'TREND', 'NOWHERE', 'SERVICE_PROFILE'],
  ),
};

const domain = mostly<Value>(fc.constantFrom('coffee.example', 'bücher.example'), '', 'http://x.y', 'x');

/** The fields of a line item. */
export const lineItemFields: Input = {
  ...needed,
  name,
  entity_status: status,
  start_time: time,
  end_time: time,
  bid_strategy: mostly<Value>(fc.constantFrom('AUTO', 'MAX', 'TARGET'), '', 'x'),
  bid_amount_local_micro: micros,
  goal: mostly<Value>(fc.constantFrom('MAX_REACH', 'REACH_WITH_ENGAGEMENT', 'APP_CLICKS'), '', 'x'),
  pay_by: mostly<Value>(fc.constantFrom('IMPRESSION', 'APP_CLICK'), '', 'x'),
  daily_budget_amount_local_micro: micros,
  total_budget_amount_local_micro: micros,
  standard_delivery: truth,
  frequency_cap: mostly<Value>(fc.constantFrom(1, 5), '', 0, 'x'),
  duration_in_days: mostly<Value>(fc.constantFrom(1, 7, 30), '', 2),
  audience_expansion: mostly<Value>(fc.constantFrom('BROAD', 'DEFINED'), '', 'x'),
  advertiser_domain: domain,
  categories: mostly<Value>(fc.constantFrom('IAB7', 'IAB2-4,IAB7', 'IAB1', 'IAB3'), '', 'IAB99', ','),
  android_store_identifier: mostly<Value>(fc.constantFrom('com.a', 'com.b'), ''),
  ios_store_identifier: mostly<Value>(fc.constantFrom('1', 2), '', 'x'),
};

/** Parameters that a create of a line item must have. */
export const LINE_ITEM_REQUIRED = Object.keys(needed);

/** Conditions of the list of line items. */
export const lineItemList: Input = {
  count,
  sort_by: sort('name', 'created_at', 'updated_at', 'deleted', 'bid_amount_local_micro', 'start_time', 'end_time'),
  with_deleted: truth,
  with_draft: truth,
  q: beginning,
  line_item_ids: ids(line),
  campaign_ids: ids(campaign),
  funding_instrument_ids: ids(instrument),
};

const item = mostly<JsonValue>(
  fc.oneof(
    some(lineItemFields, LINE_ITEM_REQUIRED).map((input) => ({ operation_type: 'Create', params: input as JsonValue })),
    fc.tuple(line, some(lineItemFields)).map(([line_item_id, input]) => ({
      operation_type: 'Update',
      params: { ...input, line_item_id } as JsonValue,
    })),
    line.map((line_item_id) => ({ operation_type: 'Delete', params: { line_item_id } as JsonValue })),
  ),
  { operation_type: 'Update', params: { line_item_id: 'no such', name: 'x' } },
);

/** The body of a batch of line items. */
export const lineItemBatch: fc.Arbitrary<JsonValue> = fc.array(item, { minLength: 1, maxLength: 4 });
