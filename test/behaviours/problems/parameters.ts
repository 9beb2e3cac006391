import { type Case, campaign, create, home, invalid, own, world } from './setting.ts';

const history = (params: Record<string, string>) =>
  own('GET', '/account_history', { entity_type: 'CAMPAIGN', entity_id: 'zz9', ...params });

/** What can be wrong with parameters. */
export const parameters: Case[] = [
  {
    name: 'MISSING_PARAMETER',
    input: 'a campaign of nothing',
    send: () => own('POST', '/campaigns'),
    status: 400,
    errors: ['name', 'funding_instrument_id'].map((parameter) => ({
      code: 'MISSING_PARAMETER',
      message: `"${parameter}" is a required parameter`,
      parameter,
    })),
  },
  {
    name: 'NOT_IN_ENUM',
    input: 'a word that is not in the list',
    send: () => create({ entity_status: 'RUN' }),
    status: 400,
    errors: [invalid('entity_status', 'Expected a value in ACTIVE, DRAFT, PAUSED, got "RUN" for entity_status')],
  },
  {
    name: 'NOT_LONG',
    input: 'one more than the largest whole number',
    send: () => create({ total_budget_amount_local_micro: '9007199254740992' }),
    status: 400,
    errors: [
      invalid(
        'total_budget_amount_local_micro',
        'Expected Long, got "9007199254740992" for total_budget_amount_local_micro',
      ),
    ],
  },
  {
    name: 'NOT_AN_EMAIL',
    input: 'a word as an email address',
    send: () => own('PUT', `/user_settings/${world.keys.user_id}`, { notification_email: 'nope' }),
    status: 400,
    errors: [invalid('notification_email', 'Expected an email address, got "nope" for notification_email')],
  },
  {
    name: 'NOT_POSITIVE',
    input: 'an amount of nothing',
    send: () => create({ daily_budget_amount_local_micro: 0 }),
    status: 400,
    errors: [
      invalid(
        'daily_budget_amount_local_micro',
        'Expected a value greater than 0, got 0 for daily_budget_amount_local_micro',
      ),
    ],
  },
  {
    name: 'OUT_OF_RANGE',
    input: 'a page of 1001',
    send: () => own('GET', '/campaigns', { count: 1001 }),
    status: 400,
    errors: [
      {
        ...invalid('count', 'Expected int between 1 and 1000, got "1001" for count'),
        ...{ details: 'value out of range', value: '1001' },
      },
    ],
  },
  {
    name: 'NOT_BOOLEAN',
    input: 'yes',
    send: () => create({ standard_delivery: 'yes' }),
    status: 400,
    errors: [invalid('standard_delivery', 'Expected boolean, got "yes" for standard_delivery')],
  },
  {
    name: 'NOT_TIME',
    input: 'a day that no month has',
    send: () => history({ start_time: '2026-02-30' }),
    status: 400,
    errors: [
      {
        ...invalid('start_time', 'Expected time, got "2026-02-30" for start_time'),
        details: 'invalid date',
        value: '2026-02-30',
      },
    ],
  },
  {
    name: 'FRACTIONAL_HOUR',
    input: 'half past ten',
    send: () => history({ start_time: '2026-02-03T10:30:00Z' }),
    status: 400,
    errors: [invalid('start_time', 'Time cannot be fractional hours')],
  },
  {
    name: 'NOT_AFTER',
    input: 'an end before its start',
    send: () => history({ start_time: '2026-02-03T10:00:00Z', end_time: '2026-02-03T09:00:00Z' }),
    status: 400,
    errors: [invalid('end_time', 'Expected end_time to be after start_time')],
  },
  {
    name: 'NOT_TEXT',
    input: 'an object for a name',
    send: () => world.sandbox.call('POST', `${home.path}/campaigns`, { json: { ...campaign({}), name: { a: 1 } } }),
    status: 400,
    errors: [invalid('name', 'Expected text for name')],
  },
  {
    name: 'TEXT_EMPTY',
    input: 'an empty name',
    send: () => world.sandbox.call('PUT', `${home.path}/campaigns/zz9`, { params: { name: '' } }),
    status: 400,
    errors: [invalid('name', 'Expected a minimum length of 1, got 0 for name')],
  },
  {
    name: 'TEXT_TOO_LONG',
    input: 'a name of 256 characters',
    send: () => create({ name: 'x'.repeat(256) }),
    status: 400,
    errors: [invalid('name', 'Expected a maximum length of 255, got 256 for name')],
  },
  {
    name: 'ILLEGAL_CHARACTERS',
    input: 'a control character in a name',
    send: () => create({ name: 'a\u0007b' }),
    status: 400,
    errors: [{ code: 'ILLEGAL_CHARACTERS', message: 'Illegal characters in name', parameter: 'name' }],
  },
  {
    name: 'NOT_AN_ID',
    input: 'a filter with what no id can be',
    send: () => own('GET', '/campaigns', { campaign_ids: 'abc,a_b' }),
    status: 400,
    errors: [invalid('campaign_ids', 'Expected an id, got "a_b" for campaign_ids')],
  },
  {
    name: 'TOO_FEW_ITEMS',
    input: 'a list of blanks',
    send: () => own('POST', '/features', { feature_keys: ' , ' }),
    status: 400,
    errors: [invalid('feature_keys', 'A minimum of 1 items must be provided for feature_keys')],
  },
  {
    name: 'TOO_MANY_ITEMS',
    input: 'a filter of 201 ids',
    send: () =>
      own('GET', '/campaigns', { campaign_ids: Array.from({ length: 201 }, (_, n) => n.toString(36)).join() }),
    status: 400,
    errors: [invalid('campaign_ids', 'A maximum of 200 items may be provided for campaign_ids')],
  },
  {
    name: 'REPEATED_PARAMETER',
    input: 'count twice',
    send: () => own('GET', '/campaigns?count=1&count=2'),
    status: 400,
    errors: [invalid('count', 'Expected one value, got 2 for count')],
  },
  {
    name: 'CURSOR_INVALID',
    input: 'a cursor that no list gave',
    send: () => own('GET', '/campaigns', { cursor: 'abc' }),
    status: 400,
    errors: [invalid('cursor', 'Expected a cursor of this list, got "abc" for cursor')],
  },
  {
    name: 'EXCLUSIVE_PARAMETERS',
    input: 'a cursor and a total count',
    send: () => own('GET', '/campaigns', { cursor: 'abc', with_total_count: 'true' }),
    status: 400,
    errors: [
      {
        code: 'EXCLUSIVE_PARAMETERS',
        message: 'with_total_count and cursor are exclusive parameters',
        parameter: 'with_total_count, cursor',
      },
    ],
  },
  {
    name: 'NOT_A_CODE',
    input: 'a country of three letters',
    send: () => own('GET', '/curated_categories', { country_codes: 'USA' }),
    status: 400,
    errors: [invalid('country_codes', 'Expected a code of 2 letters, got "USA" for country_codes')],
  },
  {
    name: 'COUNTRY_UNKNOWN',
    input: 'two letters that no country has',
    send: () => own('GET', '/curated_categories', { country_codes: 'US,ZZ' }),
    status: 400,
    errors: [invalid('country_codes', 'Expected an ISO 3166-1 alpha-2 country code, got "ZZ" for country_codes')],
  },
];
