import { locations } from '../../../src/features/ads/reference/targeting-tables.ts';
import { targetingCriteria } from '../../../src/features/ads/targeting-criteria.ts';
import type { Reply } from '../../rig/client.ts';
import { type Case, campaign, home, invalid, own, type Params, world } from './setting.ts';

/** A line item of an account of its own: windows and limits of others do not matter. */
async function line(kind: Params = {}): Promise<string> {
  const made = await own('POST', '/campaigns', campaign({}));
  const plain = { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' };
  const params = { ...plain, entity_status: 'PAUSED', ...kind, campaign_id: made.body.data.id };
  return (await own('POST', '/line_items', params)).body.data.id;
}

async function target(type: string, value: string, operator = 'EQ'): Promise<Reply> {
  const params = { targeting_type: type, targeting_value: value, operator_type: operator };
  return own('POST', '/targeting_criteria', { line_item_id: await line(), ...params });
}

/** The last keyword does not fit any more. */
async function crowded(): Promise<Reply> {
  crowd = await line();
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    account_id: home.account,
    id: `crowd${index}`,
    line_item_id: crowd,
    targeting_type: 'BROAD_KEYWORD',
    targeting_value: `word ${index}`,
    operator_type: 'EQ',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    deleted: 0 as const,
  }));
  await world.service.store.write((tx) => tx.records.insertAll(targetingCriteria, rows));
  const params = { targeting_type: 'EXACT_KEYWORD', targeting_value: 'one more' };
  return own('POST', '/targeting_criteria', { line_item_id: crowd, ...params });
}
let crowd = '';

const absent = (code: string, kind: string, parameter: string) => ({
  code,
  message: `${kind} 8zz1q was not found`,
  parameter,
  value: '8zz1q',
});
let posts = '';

/** Problems of targeting and of the other children of line items. */
export const targetingProblems: readonly Case[] = [
  {
    name: 'TARGETING_CRITERION_NOT_FOUND',
    input: 'a criterion that there is not',
    send: () => own('GET', '/targeting_criteria/8zz1q'),
    status: 404,
    errors: [absent('TARGETING_CRITERION_NOT_FOUND', 'Targeting criterion', 'targeting_criterion_id')],
  },
  {
    name: 'PROMOTED_ACCOUNT_NOT_FOUND',
    input: 'a promoted account that there is not',
    send: () => own('DELETE', '/promoted_accounts/8zz1q'),
    status: 404,
    errors: [absent('PROMOTED_ACCOUNT_NOT_FOUND', 'Promoted account', 'promoted_account_id')],
  },
  {
    name: 'TAILORED_AUDIENCE_NOT_FOUND',
    input: 'an audience that there is not',
    send: () => target('CUSTOM_AUDIENCE', '8zz1q'),
    status: 404,
    errors: [absent('TAILORED_AUDIENCE_NOT_FOUND', 'Custom audience', 'targeting_value')],
  },
  {
    name: 'UNKNOWN_CRITERIA_TYPE',
    input: 'a type of former versions',
    send: () => target('BEHAVIOR', '1'),
    status: 400,
    errors: [
      {
        code: 'UNKNOWN_CRITERIA_TYPE',
        message: 'Expected a known targeting type, got "BEHAVIOR" for targeting_type',
        parameter: 'targeting_type',
      },
    ],
  },
  {
    name: 'INVALID_TARGETING_TYPE',
    input: 'a list of applications to target',
    send: () => target('APP_LIST', '7c'),
    status: 400,
    errors: [
      {
        code: 'INVALID_TARGETING_TYPE',
        message: 'Targeting type APP_LIST can only be used with operator NE',
        parameter: 'targeting_type',
      },
    ],
  },
  {
    name: 'NOT_A_TARGETING_VALUE',
    input: 'a language that there is not',
    send: () => target('LANGUAGE', 'xx'),
    status: 400,
    errors: [invalid('targeting_value', 'Expected a value of the LANGUAGE look-up, got "xx" for targeting_value')],
  },
  {
    name: 'TOO_MANY_CRITERIA',
    input: 'one keyword too many',
    send: crowded,
    status: 400,
    errors: () => [
      {
        code: 'REQUEST_TOO_COMPLEX',
        message: `Line item ${crowd} cannot have more than 1000 keyword criteria`,
        parameter: 'targeting_type',
      },
    ],
  },
  {
    name: 'INVALID_TV_SHOW_LOCATIONS',
    input: 'a show and no place',
    send: () => target('TV_SHOW', '10001'),
    status: 400,
    errors: [
      {
        code: 'INVALID_TV_SHOW_LOCATIONS',
        message: 'A TV_SHOW criterion needs a LOCATION criterion first',
        parameter: 'targeting_type',
      },
    ],
  },
  {
    name: 'TV_SHOW_OUTSIDE_MARKET',
    input: 'a place where a show is not on',
    async send() {
      const line_item_id = await line();
      const germany = locations().find(({ name }) => name === 'Germany')!.targeting_value;
      const add = (targeting_type: string, targeting_value: string) =>
        own('POST', '/targeting_criteria', { line_item_id, targeting_type, targeting_value });
      await add('LOCATION', germany);
      return add('TV_SHOW', '10001');
    },
    status: 400,
    errors: [
      {
        code: 'TV_SHOW_OUTSIDE_MARKET',
        message: 'The locations of the line item are outside the market of the show',
        parameter: 'targeting_value',
      },
    ],
  },
  {
    name: 'INCOMPATIBLE_LINE_ITEM',
    input: 'an account promoted on a line item for posts',
    async send() {
      posts = await line();
      return own('POST', '/promoted_accounts', { line_item_id: posts, user_id: world.keys.user_id! });
    },
    status: 400,
    errors: () => [
      {
        code: 'INCOMPATIBLE_LINE_ITEM',
        message: `Line item ${posts} is not compatible with promoted accounts`,
        parameter: 'line_item_id',
        value: posts,
      },
    ],
  },
  {
    name: 'INVALID_USER_ID',
    input: "somebody else's account",
    send: async () => {
      const line_item_id = await line({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' });
      return own('POST', '/promoted_accounts', { line_item_id, user_id: '7' });
    },
    status: 400,
    errors: [{ code: 'INVALID_USER_ID', message: "You cannot promote someone else's account", attribute: 'user_id' }],
  },
  {
    name: 'NOT_HTTPS',
    input: 'a tag that anybody could read',
    send: async () =>
      own('POST', '/tracking_tags', {
        line_item_id: await line(),
        tracking_tag_type: 'CLICK_TRACKER',
        tracking_tag_url: 'http://example.com',
      }),
    status: 400,
    errors: [
      invalid('tracking_tag_url', 'Expected an absolute https URL, got "http://example.com" for tracking_tag_url'),
    ],
  },
  {
    name: 'NOT_CRITERIA',
    input: 'an estimate of a word',
    send: () => estimate('everybody'),
    status: 400,
    errors: [invalid('targeting_criteria', 'Expected an array of targeting criteria')],
  },
  {
    name: 'ESTIMATE_TOO_LARGE',
    input: 'an estimate of 501 criteria',
    send: () => estimate(Array.from({ length: 501 }, () => 0)),
    status: 400,
    errors: [
      {
        code: 'REQUEST_TOO_COMPLEX',
        message: 'A maximum of 500 targeting criteria can be estimated',
        parameter: 'targeting_criteria',
      },
    ],
  },
  {
    name: 'PRIMARY_MISSING',
    input: 'an estimate of all women',
    send: () => estimate([{ targeting_type: 'GENDER', targeting_value: '2' }]),
    status: 400,
    errors: [invalid('targeting_criteria', 'At least one primary targeting criterion is required')],
  },
];

function estimate(json: unknown): Promise<Reply> {
  return world.sandbox.call('POST', `${home.path}/audience_estimate`, { json });
}
