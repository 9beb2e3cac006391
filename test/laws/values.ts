import { fc } from '../rig/laws.ts';

/** Something met earlier in a run, by its place in a pool; resolved when the step is taken. */
export interface Ref {
  readonly pool: Pool;
  readonly pick: number;
}

/** What a run collects: ids and cursors of replies, and addresses that something is sent to. */
export type Pool =
  | 'account'
  | 'instrument'
  | 'campaign'
  | 'line'
  | 'criterion'
  | 'child'
  | 'media'
  | 'post'
  | 'card'
  | 'talk'
  | 'audience'
  | 'granted'
  | 'subscription'
  | 'webhook'
  | 'receiver'
  | 'message'
  | 'page'
  | 'cursor';

/** A value of a parameter, before references are resolved; lists of references become comma lists. */
export type Value = string | number | boolean | Ref | readonly Ref[];

/** A value of a JSON body, before references are resolved. */
export type JsonValue =
  | Ref
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Parameters by name, each with what it may be given. */
export type Input = Record<string, fc.Arbitrary<Value>>;

/** Names that databases and languages fold, sort, compose and cut differently. */
export const DIFFICULT: readonly string[] = [
  ...['a', 'A', 'aa', 'ab', 'a b', 'a-b', 'a_b', 'a,b', 'a:b', '0', 'null', 'ÿ', 'Ŷ', 'ŉ', 'ﬁn', 'FIN'],
  ...['Straße', 'STRASSE', 'GROẞ', 'ß', 'İstanbul', 'istanbul', 'ISPARTA', 'ıspatula', '\u0130\u0307'],
  ...['ΟΔΟΣ', 'οδος', 'οδοσ', 'οδος α', 'Ǆ', 'ǅ', 'e\u0301te\u0301', '\u00e9t\u00e9', 'ÉTÉ', 'ｆｕｌｌ', 'full'],
  ...['漢字', '😀 launch', '👩‍👩‍👧', '\u{1f1e9}\u{1f1ea}', '\u{10ffff}', '\uffff', '\ufffd', '\u200b', '\u00ad'],
  ...['100%', '100_', '100x', '%', '_', '\\', "o'clock", '"quoted"', "'; drop table campaigns; --", '&=+?#'],
  ...[' leading', 'trailing ', 'trailing', ' ', 'x'.repeat(255), '😀'.repeat(255)],
];
/** Texts that must be refused by both. */
const REFUSED = ['', '\0', 'a\0b', '\ud800', 'a\udfff', '\u0007', '\u0085', 'x'.repeat(256), '\n'];

/** Good values, and now and then a bad one: a call with one bad value tests nothing else. */
export function mostly<T>(good: fc.Arbitrary<T>, ...bad: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) });
}

/** Some of these parameters, each now and then. */
export function some(all: Input, requiredKeys: string[] = []): fc.Arbitrary<Record<string, Value>> {
  return fc.record(all, { requiredKeys }) as fc.Arbitrary<Record<string, Value>>;
}

/** Something of a pool. */
export function ref(pool: Pool, pick: fc.Arbitrary<number> = fc.nat(60)): fc.Arbitrary<Ref> {
  return pick.map((at) => ({ pool, pick: at }));
}

/** An account: the one of the run, rarely another or none. */
export const account = ref(
  'account',
  fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(4) }),
);
/** A funding instrument of the run. */
export const instrument = ref('instrument');
/** A campaign of the run. */
export const campaign = ref('campaign');
/** A line item of the run. */
export const line = ref('line');

const goodName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...DIFFICULT) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }) },
);
/** A name. */
export const name = mostly(goodName, ...REFUSED);
/** The beginning of a name, by characters; all of it for 0. */
export const beginning = fc
  .tuple(name, fc.constantFrom(1, 1, 2, 3, 0))
  .map(([whole, length]) => (length === 0 ? whole : [...whole].slice(0, length).join('')));

/** An amount of money. */
export const micros = mostly<Value>(
  fc.integer({ min: 1, max: 9 }).map((units) => units * 10_000_000),
  ...['', 0, -1, 1, 10_000, 9_007_199_254_740_000, 9_007_199_254_740_991, '9007199254740992', '99999999999999999999'],
  ...['1e3', '1.5', ' 5', '5 ', '+5', '٣', 'NaN', '007'],
);
/** True or false, as callers write it. */
export const truth = mostly<Value>(
  fc.constantFrom<Value>(true, false),
  ...['', 't', 'F', 'TRUE', '1', '0', 'yes', 'null', 2],
);
/** Whether something is switched on. */
export const status = mostly(fc.constantFrom('ACTIVE', 'ACTIVE', 'PAUSED', 'DRAFT'), '', 'active', 'DELETED', '\u0130');
/** A time or a date. */
export const time = mostly(
  fc.constantFrom('2026-03-01', '2026-03-02', '2026-03-02T17:00:00Z', '2026-03-02T19:00:00+01:00', '2027-01-01'),
  ...['', '2026-03-02T17:30:00Z', '0001-01-01', '9999-12-31', '9999-12-31T23:00:00Z', '2026-02-30', 'tomorrow'],
);
/** The fields of a campaign. */
export const campaignFields: Input = {
  name,
  funding_instrument_id: mostly<Value>(instrument, '', 'zz!', 'ZZZZ9', '0'),
  entity_status: status,
  budget_optimization: mostly(fc.constantFrom('CAMPAIGN', 'LINE_ITEM'), 'NEITHER', ''),
  daily_budget_amount_local_micro: micros,
  total_budget_amount_local_micro: micros,
  standard_delivery: truth,
  purchase_order_number: fc.constantFrom('PO 7', '', 'é', '😀'.repeat(50), '😀'.repeat(51)),
  unknown_parameter: name,
};
/** The fields of an account, those that callers cannot set among them. */
export const accountFields: Input = {
  name,
  industry_type: mostly(fc.constantFrom('TRAVEL', 'OTHER', ''), 'travel'),
  timezone: fc.constant('Europe/Berlin'),
};
/** The fields of a funding instrument. */
export const instrumentFields: Input = {
  currency: mostly(fc.constantFrom('USD', 'JPY', 'KWD'), 'usd', ''),
  start_time: mostly(fc.constantFrom('2026-01-01', '2026-03-02T17:00:00Z', '2027-05-05'), '', 'x'),
  end_time: mostly(fc.constantFrom('2026-03-03', '2028-01-01'), '2025-01-01', 'x'),
  type: mostly(fc.constantFrom('CREDIT_CARD', 'CREDIT_LINE', 'AGENCY_CREDIT_LINE', 'INSERTION_ORDER'), 'CASH'),
  credit_limit_local_micro: micros,
  funded_amount_local_micro: micros,
};

/** An order of a list by up to three of these attributes. */
export function sort(...attributes: string[]): fc.Arbitrary<Value> {
  const key = fc
    .tuple(fc.constantFrom(...attributes), fc.constantFrom('-asc', '-desc', ''))
    .map((each) => each.join(''));
  const keys = fc.array(key, { minLength: 1, maxLength: 3 }).map((each) => each.join(','));
  return mostly<Value>(keys, '', 'name-up', 'id-asc', ',', 'name-asc,', 'entity_status', 'start_time-desc');
}

/** How many rows a page has. */
export const count = mostly<Value>(fc.integer({ min: 1, max: 7 }), 0, 1000, 1001, '', 'ten', -3, '3.0');
/** A comma list of ids. */
export function ids(one: fc.Arbitrary<Ref>): fc.Arbitrary<Value> {
  return mostly<Value>(fc.array(one, { minLength: 1, maxLength: 12 }), ',', 'a b', '');
}

/** Conditions of the list of campaigns. */
export const campaignList: Input = {
  count,
  sort_by: sort(
    ...['name', 'created_at', 'updated_at', 'deleted', 'standard_delivery', 'start_time'],
    ...['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'],
  ),
  with_deleted: truth,
  with_draft: truth,
  q: beginning,
  campaign_ids: ids(campaign),
  funding_instrument_ids: ids(instrument),
};
/** Conditions of the list of accounts. */
export const accountList: Input = {
  count,
  sort_by: sort('name', 'created_at', 'updated_at', 'deleted'),
  with_deleted: truth,
  q: beginning,
  account_ids: ids(account),
};
/** Conditions of the list of funding instruments. */
export const instrumentList: Input = {
  count,
  sort_by: sort('start_time', 'end_time', 'funded_amount_local_micro', 'created_at'),
  with_deleted: truth,
  funding_instrument_ids: ids(instrument),
};
/** A cursor, good for the list that it came from. */
export const cursor = mostly<Value>(ref('cursor'), '', 'x', 'AAAAAAAAAAAAAAAA', '"%\'');
/** Feature keys. */
export const features = fc
  .array(mostly(fc.constantFrom('CITY_TARGETING', 'DR_TAP', 'EVENT_TARGETING', 'CPI_CHARGING'), ' ', 'NO_SUCH'), {
    maxLength: 4,
  })
  .map((keys) => keys.join(','));

/** JSON values that a form cannot say. */
const jsonOnly: fc.Arbitrary<Record<string, JsonValue>> = fc.oneof(
  { weight: 40, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ name: fc.constantFrom<JsonValue>('\ud800', null, 7, true, [], {}, ['a'], 1.5, 1e300) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      daily_budget_amount_local_micro: fc.constantFrom<JsonValue>(1e16, 2.5, null, '7', true, [1], { a: 1 }),
    }),
  },
);
const BAD_ITEMS: readonly JsonValue[] = [
  null,
  7,
  {},
  { operation_type: 'Create' },
  { params: {} },
  { operation_type: 'Destroy', params: {} },
  { operation_type: 'Update', params: { campaign_id: 'no such', name: 'x' } },
];
const item = mostly<JsonValue>(
  fc.oneof(
    fc
      .tuple(some(campaignFields, ['name', 'funding_instrument_id']), jsonOnly)
      .map(([input, odd]) => ({ operation_type: 'Create', params: { ...input, ...odd } as JsonValue })),
    fc.tuple(campaign, some(campaignFields), jsonOnly).map(([campaign_id, input, odd]) => ({
      operation_type: 'Update',
      params: { campaign_id, ...input, ...odd } as JsonValue,
    })),
    campaign.map((campaign_id) => ({ operation_type: 'delete', params: { campaign_id } as JsonValue })),
  ),
  ...BAD_ITEMS,
);
/** The body of a batch of campaigns. */
export const batch = mostly<JsonValue>(
  fc.array(item, { minLength: 1, maxLength: 4 }),
  ...[{}, [], 'text', null, Array(41).fill({ operation_type: 'Create', params: {} })],
);
