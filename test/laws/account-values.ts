import { fc } from '../rig/laws.ts';
import { count, cursor, DIFFICULT, type Input, mostly, ref, sort, truth, type Value } from './values.ts';

/** A user with settings on the account, one with none, and what is none. */
export const settled = fc.constantFrom('900000001', '900000001', '900000001', '900000002', '7', 'a_b');
const text = mostly<Value>(
  fc.constantFrom(...DIFFICULT.filter((name) => name.length <= 16)),
  '',
  '\0',
  'x'.repeat(256),
);

/** Tax settings, by some of their names. */
export const taxFields: Input = {
  address_name: text,
  address_company: text,
  client_address_city: text,
  bill_to: mostly<Value>(fc.constantFrom('ADVERTISER', 'AGENCY', 'NOT_SET'), '', 'x'),
  tax_category: mostly<Value>(fc.constantFrom('INDIVIDUAL', 'BUSINESS_NO_VAT'), '', 'x'),
  tax_id: text,
};

/** Settings of a user. */
export const userFields: Input = {
  notification_email: mostly<Value>(fc.constantFrom('ada@mail.test', 'b+c@x.test'), '', 'nope'),
  contact_phone: text,
  subscribed_email_types: mostly<Value>(
    fc.constantFrom('ACCOUNT_PERFORMANCE', 'PERFORMANCE_IMPROVEMENT,ACCOUNT_PERFORMANCE', ''),
    'x',
  ),
};

/** Conditions of the list of promotable users. */
export const promotableList: Input = {
  count,
  sort_by: sort('created_at', 'updated_at', 'deleted'),
  with_deleted: truth,
  promotable_user_ids: ref('campaign'),
};

/** What is asked of suggestions: values that criteria of programs have. */
export const suggestionList: Input = {
  suggestion_type: mostly<Value>(fc.constantFrom('KEYWORD', 'USER_ID'), 'x'),
  targeting_values: mostly<Value>(fc.constantFrom('tea', 'tea,TEA', 'coffee', '1', ...DIFFICULT.slice(0, 20)), ''),
  count: mostly<Value>(fc.integer({ min: 1, max: 50 }), 0, 51),
};

/** What is asked of look-ups: parameters that one has are ignored by another. */
export const lookupList: Input = {
  q: text,
  count,
  cursor,
  lang: fc.constantFrom('de', 'xx'),
  country_code: mostly<Value>(fc.constantFrom('US', 'de'), 'USA'),
  country_codes: mostly<Value>(fc.constantFrom('US', 'us,JP'), '', 'x'),
  locale: mostly<Value>(fc.constant('en-US'), 'en'),
};
/** Look-ups that no account is named for. */
export const LOOKUPS = ['locations', 'interests', 'events', 'languages', 'devices', 'tv_shows', 'platforms'] as const;
