import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  dataOf,
  expectErrors,
  expectItemErrors,
  invalid,
  type Json,
  missing,
} from '../account.ts';
import type { Rule } from '../rule.ts';

/** An operation that creates a campaign. */
async function creates(account: Account, more: Json = {}): Promise<Json> {
  const { id: funding_instrument_id } = await account.instrument();
  const params = { name: 'Batch', entity_status: 'PAUSED', funding_instrument_id, ...more };
  return { operation_type: 'Create', params };
}

function tooMany(max: number): Json {
  return { code: 'REQUEST_TOO_COMPLEX', message: `The maximum batch size of ${max} has been exceeded` };
}

const sizeRules = (
  [
    ['campaigns 13.1', 'campaigns', 40],
    ['campaigns 13.2', 'line_items', 40],
    ['campaigns 13.3', 'targeting_criteria', 500],
  ] as const
).map(([id, kind, max]) =>
  accountRule(id, async (account) => {
    const items = Array.from({ length: max + 1 }, () => ({ operation_type: 'Create', params: {} }));
    expectErrors(await account.batch(kind, items), 400, tooMany(max));
    const { status, body } = await account.batch(kind, items.slice(0, max));
    assert.deepEqual([status, body.operation_errors.length], [400, max]);
  }),
);

/** Checks of batches: section 13. */
const operationRules: readonly Rule[] = [
  ...sizeRules,
  accountRule('campaigns 13.4', async (account) => {
    const reply = await account.batch('campaigns', [{ ...(await creates(account)), operation_type: 'CREATE' }]);
    const [{ id }] = dataOf(reply);
    assert.equal(reply.body.request[0].operation_type, 'Create');
    const params = { campaign_id: id };
    const removed = await account.batch('campaigns', [{ operation_type: 'delete', params }]);
    assert.deepEqual([dataOf(removed)[0].deleted, removed.body.request[0].operation_type], [true, 'Delete']);
  }),
  accountRule('campaigns 13.5', async (account) => {
    const { id } = await account.campaign({ name: 'First' });
    const update = { operation_type: 'Update', params: { campaign_id: id, name: 'Changed' } };
    const reply = await account.batch('campaigns', [update, { operation_type: 'Delete', params: { campaign_id: id } }]);
    assert.deepEqual(Object.keys(reply.body).sort(), ['data', 'request']);
    assert.deepEqual(
      dataOf(reply).map(({ name, deleted }: Json) => [name, deleted]),
      [
        ['Changed', false],
        ['Changed', true],
      ],
    );
    for (const { params } of reply.body.request) assert.equal(params.account_id, account.id);
  }),
  accountRule('campaigns 13.6', async (account) => {
    const { id } = await account.campaign({ name: 'Before' });
    const params = { campaign_id: id };
    const reply = await account.batch('campaigns', [
      { operation_type: 'Update', params: { ...params, name: 'After' } },
      { operation_type: 'Delete', params },
      { operation_type: 'Update', params: { ...params, name: 'Later' } },
    ]);
    expectItemErrors(reply, [], [], [{ code: 'CAMPAIGN_NOT_FOUND' }]);
    const kept = dataOf(await account.get(`campaigns/${id}`));
    assert.deepEqual([kept.name, kept.deleted], ['Before', false]);
  }),
  accountRule('campaigns 13.7', async (account) => {
    const lost = { operation_type: 'Delete', params: { campaign_id: 'zz9' } };
    const broken = await creates(account, { entity_status: 'RUN' });
    const error = { code: 'INVALID_PARAMETER', parameter: 'entity_status' };
    expectItemErrors(await account.batch('campaigns', [lost, broken]), [], [error]);
  }),
  accountRule('campaigns 13.8', async (account) => {
    const items = [await creates(account), { operation_type: 'Create', params: {} }];
    const reply = await account.batch('campaigns', items);
    expectItemErrors(reply, [], [missing('name'), missing('funding_instrument_id')]);
    const unknown = await account.batch('campaigns', [{ operation_type: 'Delete', params: { campaign_id: 'zz9' } }]);
    expectItemErrors(unknown, [{ code: 'CAMPAIGN_NOT_FOUND' }]);
  }),
  accountRule('campaigns 13.9', async (account) => {
    const { body } = await account.batch('campaigns', [await creates(account, { entity_status: 'RUN' })]);
    assert.equal(body.request[0].params.entity_status, 'RUN');
  }),
  accountRule('campaigns 13.10', async (account) => {
    const message = 'Expected a value in Create, Delete, Update, got "Paint" for operation_type';
    const reply = await account.batch('campaigns', [{ params: {} }, { operation_type: 'Paint', params: {} }]);
    expectItemErrors(reply, [missing('operation_type')], [invalid(message, 'operation_type')]);
    expectItemErrors(await account.batch('campaigns', [{ operation_type: 'Delete' }]), [missing('params')]);
  }),
  accountRule('campaigns 13.12', async (account) => {
    const { body } = await account.batch('campaigns', Array(41).fill(await creates(account)));
    assert.deepEqual(body.request, []);
    assert.ok(!('operation_errors' in body));
  }),
  accountRule('campaigns 13.13', async (account) => {
    expectErrors(await account.batch('campaigns', {}), 400, invalid('Expected an array of operations'));
  }),
  accountRule('campaigns 13.14', async (account) => {
    const error = invalid('A minimum of 1 items must be provided for operations');
    expectErrors(await account.batch('campaigns', []), 400, error);
  }),
  accountRule('campaigns 13.15', async (account) => {
    const path = `/12/batch/accounts/${account.id}/campaigns`;
    const reply = await account.call('POST', path, { name: 'Form' });
    expectErrors(reply, 400, invalid('Content-Type must be application/json'));
  }),
];

const ESTIMATED = { targeting_type: 'BROAD_KEYWORD', targeting_value: 'espresso' };

/** Checks of estimates, keyword insights and suggestions: sections 14, 15 and 17. */
const insightRules: readonly Rule[] = [
  accountRule('campaigns 14.1', async (account) => {
    const estimate = (json: unknown) => account.call('POST', 'audience_estimate', {}, { json });
    for (const json of [[ESTIMATED], { targeting_criteria: [ESTIMATED] }]) {
      const { min, max } = dataOf(await estimate(json)).audience_size;
      assert.ok(min >= 0 && max > min, `${min} to ${max}`);
    }
    expectErrors(await estimate('criteria'), 400, invalid('Expected an array of targeting criteria'));
  }),
  accountRule('campaigns 14.3', async (account) => {
    const json = [
      { targeting_type: 'GENDER', targeting_value: '1' },
      { ...ESTIMATED, operator_type: 'NE' },
    ];
    const error = invalid('At least one primary targeting criterion is required', 'targeting_criteria');
    expectErrors(await account.call('POST', 'audience_estimate', {}, { json }), 400, error);
  }),
  accountRule('campaigns 14.4', async (account) => {
    const json = [ESTIMATED, { targeting_type: 'COLOUR', targeting_value: '1' }];
    const error = { code: 'UNKNOWN_CRITERIA_TYPE', parameter: 'targeting_criteria[1].targeting_type' };
    expectErrors(await account.call('POST', 'audience_estimate', {}, { json }), 400, error);
  }),
  accountRule('campaigns 14.5', async (account) => {
    const estimate = (json: unknown) => account.call('POST', 'audience_estimate', {}, { json });
    expectErrors(await estimate([]), 400, { code: 'INVALID_PARAMETER' });
    const message = 'A maximum of 500 targeting criteria can be estimated';
    expectErrors(await estimate(Array(501).fill(ESTIMATED)), 400, { code: 'REQUEST_TOO_COMPLEX', message });
  }),
  accountRule('campaigns 14.6', async (account) => {
    const { body } = await account.call('POST', 'audience_estimate', {}, { json: [ESTIMATED] });
    assert.deepEqual(body.request.params, { account_id: account.id, targeting_criteria: null });
  }),
  ...keywordRules(),
  accountRule('campaigns 17.1', async (account) => {
    const { status, body } = await account.get('targeting_suggestions');
    assert.equal(status, 400);
    const parameters = body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort();
    assert.deepEqual(parameters, ['MISSING_PARAMETER suggestion_type', 'MISSING_PARAMETER targeting_values']);
  }),
];

function keywordRules(): Rule[] {
  const path = '/12/insights/keywords/search';
  const day = { granularity: 'DAY', keywords: 'espresso', start_time: '2026-02-01', end_time: '2026-02-02' };
  return [
    accountRule('campaigns 15.1', async (account) => {
      const { body } = await account.get(path, { ...day, keywords: 'espresso,latte', negative_keywords: 'tea' });
      assert.deepEqual(body.request.params, {
        granularity: 'DAY',
        keywords: ['espresso', 'latte'],
        negative_keywords: ['tea'],
        start_time: day.start_time,
        end_time: day.end_time,
      });
    }),
    accountRule('campaigns 15.3', async (account) => {
      assert.equal(dataOf(await account.get(path, day)).post_volume.length, 1);
      assert.equal(dataOf(await account.get(path, { ...day, granularity: 'HOUR' })).post_volume.length, 24);
    }),
    accountRule('campaigns 15.4', async (account) => {
      const terms: string[] = dataOf(await account.get(path, day)).related_keywords;
      assert.ok(terms.length <= 30);
      assert.equal(new Set(terms).size, terms.length);
      for (const term of terms) assert.ok(term === term.toLowerCase() && term !== 'espresso', term);
    }),
    accountRule('campaigns 15.6', async (account) => {
      const code = 'INVALID_TIME_WINDOW';
      const empty = { code, message: 'The end_time must be after the start_time', parameter: '' };
      expectErrors(await account.get(path, { ...day, end_time: day.start_time }), 400, empty);
      const long = { code, message: 'The end_time can be a maximum of 7.days after the start_time', parameter: '' };
      expectErrors(await account.get(path, { ...day, end_time: '2026-02-09' }), 400, long);
    }),
    accountRule('campaigns 15.8', async (account) => {
      const keywords = Array.from({ length: 11 }, (_, index) => `word${index}`).join();
      const error = invalid('A maximum of 10 items may be provided for keywords', 'keywords');
      expectErrors(await account.get(path, { ...day, keywords }), 400, error);
    }),
    accountRule('campaigns 15.9', async (account) => {
      const message = 'Expected the targeting value of a country, got "nope" for location';
      expectErrors(await account.get(path, { ...day, location: 'nope' }), 400, invalid(message, 'location'));
    }),
  ];
}

/** Checks of sections 13 to 17. */
export const batchRules: readonly Rule[] = [...operationRules, ...insightRules];
