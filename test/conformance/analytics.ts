import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import {
  type Account,
  accountRule,
  dataOf,
  expectErrors,
  idsOf,
  invalid,
  type Json,
  missing,
  type Values,
} from './account.ts';
import { expectStatus } from './expect.ts';
import type { Rule } from './rule.ts';

const RANGE = { start_time: '2026-02-03T00:00:00Z', end_time: '2026-02-04T00:00:00Z' };
const READ = { entity: 'CAMPAIGN', granularity: 'TOTAL', metric_groups: 'ENGAGEMENT', placement: 'ALL_ON_SERVICE' };
const ENGAGEMENT = [
  ...['impressions', 'posts_send', 'qualified_impressions', 'follows', 'app_clicks', 'reposts', 'unfollows', 'likes'],
  ...['engagements', 'clicks', 'card_engagements', 'poll_card_vote', 'replies', 'url_clicks', 'carousel_swipes'],
];
const JOB = [
  ...['start_time', 'segmentation_type', 'url', 'id_str', 'entity_ids', 'end_time', 'country', 'placement', 'id'],
  ...['expires_at', 'account_id', 'status', 'granularity', 'entity', 'created_at', 'platform', 'updated_at'],
  'metric_groups',
];
/** A job is asked for this often, once in a second. */
const POLLS = 60;

function stats(account: Account, values: Values = {}) {
  return account.get(`/12/stats/accounts/${account.id}`, { ...RANGE, ...READ, entity_ids: 'zz9', ...values });
}

function jobs(account: Account, path = ''): string {
  return `/12/stats/jobs/accounts/${account.id}${path}`;
}

/** Creates a job over a range of whole days. */
async function createJob(account: Account, values: Values = {}) {
  return account.call('POST', jobs(account), { ...RANGE, ...READ, entity_ids: 'zz9', ...values });
}

/** A job once it has ended. */
async function ended(account: Account, id: string): Promise<Json> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const [job] = dataOf(await account.get(jobs(account), { job_ids: id }));
    if (job.status !== 'PROCESSING') return job;
    await wait(1000);
  }
  throw new Error(`job ${id} has not ended after ${POLLS} s`);
}

function window(message: string): Json {
  return { code: 'INVALID_TIME_WINDOW', message, parameter: '' };
}

/** Checks of statistics: sections 0, 2, 4 and 5. */
const statsRules: readonly Rule[] = [
  accountRule('analytics 0.4', async (account) => {
    const { id } = await account.campaign();
    const reply = await stats(account, { entity_ids: `zz9,${id}` });
    assert.deepEqual(idsOf(reply), [id]);
    assert.deepEqual(new Set(Object.values(dataOf(reply)[0].id_data[0].metrics)), new Set([null]));
  }),
  accountRule('analytics 0.8', async (account) => {
    const older: Values[] = [
      { placement: 'PUBLISHER_NETWORK' },
      { entity: 'MEDIA_CREATIVE' },
      { metric_groups: 'MEDIA' },
    ];
    for (const values of older) expectStatus(await stats(account, values), 200);
  }),
  accountRule('analytics 2.4', async (account) => {
    const message = 'Expected a value in DAY, HOUR, TOTAL, got "WEEK" for granularity';
    expectErrors(await stats(account, { granularity: 'WEEK' }), 400, invalid(message, 'granularity'));
  }),
  accountRule('analytics 2.5', async (account) => {
    const metric_groups = 'VIDEO,WEB_CONVERSION,MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION,BILLING,MEDIA';
    expectStatus(await stats(account, { metric_groups }), 200);
  }),
  accountRule('analytics 2.11', async (account) => {
    const further = { with_deleted: true, segmentation_type: 'AGE', country: 'x', platform: '1' };
    const { params } = (await stats(account, further)).body.request;
    assert.deepEqual([params.segmentation_type, params.country, params.platform], [null, null, null]);
    assert.ok(!('with_deleted' in params));
  }),
  accountRule('analytics 2.12', async (account) => {
    const values = {
      entity: 'campaign',
      granularity: 'total',
      metric_groups: 'engagement',
      placement: 'all_on_service',
    };
    const { params } = (await stats(account, values)).body.request;
    assert.deepEqual([params.entity, params.granularity, params.metric_groups], ['CAMPAIGN', 'TOTAL', ['ENGAGEMENT']]);
  }),
  accountRule('analytics 4.1', async (account) => {
    const { status, body } = await account.get(`/12/stats/accounts/${account.id}`);
    assert.equal(status, 400);
    const expected = [...Object.keys(READ), ...Object.keys(RANGE), 'entity_ids'].map((name) => missing(name).message);
    assert.deepEqual(body.errors.map(({ message }: Json) => message).sort(), expected.sort());
  }),
  accountRule('analytics 4.3', async (account) => {
    const error = invalid('A minimum of 1 items must be provided for entity_ids', 'entity_ids');
    expectErrors(await stats(account, { entity_ids: '' }), 400, error);
  }),
  accountRule('analytics 4.4', async (account) => {
    const ids = Array.from({ length: 21 }, (_, index) => `z${index.toString(36)}`);
    const error = invalid('A maximum of 20 items may be provided for entity_ids', 'entity_ids');
    expectErrors(await stats(account, { entity_ids: ids.join() }), 400, error);
    expectStatus(await stats(account, { entity_ids: ids.slice(0, 20).join() }), 200);
  }),
  accountRule('analytics 4.5', async (account) => {
    const error = invalid('Expected time, got "" for start_time', 'start_time');
    expectErrors(await stats(account, { start_time: '' }), 400, { ...error, details: 'invalid date', value: '' });
  }),
  accountRule('analytics 4.6', async (account) => {
    const error = invalid('Time cannot be fractional hours', 'end_time');
    expectErrors(await stats(account, { end_time: '2026-02-03T01:15:00Z' }), 400, error);
  }),
  accountRule('analytics 4.7', async (account) => {
    const error = window("Expect time to be midnight in the account's local timezone for day granularity");
    const values = { start_time: '2026-02-03T03:00:00Z', end_time: '2026-02-04T03:00:00Z', granularity: 'DAY' };
    expectErrors(await stats(account, values), 400, error, error);
  }),
  accountRule('analytics 4.8', async (account) => {
    const long = window('The end_time can be a maximum of 7.days+1.hours after the start_time');
    expectErrors(await stats(account, { end_time: '2026-02-10T02:00:00Z' }), 400, long);
    expectStatus(await stats(account, { end_time: '2026-02-10T01:00:00Z' }), 200);
  }),
  accountRule('analytics 4.9', async (account) => {
    const empty = window('The end_time must be after the start_time');
    expectErrors(await stats(account, { end_time: RANGE.start_time }), 400, empty);
  }),
  accountRule('analytics 4.14', async (account) => {
    const path = `/12/stats/accounts/${account.id}/active_entities`;
    const reply = await account.get(path, { ...RANGE, entity: 'LINE_ITEM', campaign_ids: 'a1', line_item_ids: 'b2' });
    const message = 'campaign_ids and line_item_ids are exclusive parameters';
    expectErrors(reply, 400, { code: 'EXCLUSIVE_PARAMETERS', message });
  }),
  accountRule('analytics 5.1', async (account) => {
    const { body } = await stats(account);
    assert.deepEqual(Object.keys(body), ['data_type', 'time_series_length', 'data', 'request']);
    assert.equal(body.data_type, 'stats');
  }),
  accountRule('analytics 5.2', async (account) => {
    const { body } = await stats(account);
    assert.deepEqual(body.request.params, {
      ...RANGE,
      ...READ,
      entity_ids: ['zz9'],
      metric_groups: ['ENGAGEMENT'],
      segmentation_type: null,
      country: null,
      platform: null,
    });
  }),
  accountRule('analytics 5.3', async (account) => {
    const { id } = await account.campaign();
    const other = await account.campaign();
    const reply = await stats(account, { entity_ids: [other.id, id, other.id].join() });
    assert.deepEqual(idsOf(reply), [other.id, id]);
    for (const { id_data } of dataOf(reply)) assert.deepEqual([id_data.length, id_data[0].segment], [1, null]);
  }),
  accountRule('analytics 5.4', async (account) => {
    const { body } = await stats(account, { granularity: 'HOUR' });
    assert.deepEqual([body.data, body.time_series_length], [[], 24]);
  }),
  accountRule('analytics 5.5', async (account) => {
    const { id } = await account.campaign();
    await account.call('DELETE', `campaigns/${id}`);
    assert.deepEqual(idsOf(await stats(account, { entity_ids: id })), [id]);
  }),
  accountRule('analytics 6.2', async (account) => {
    const { id } = await account.campaign();
    const [{ id_data }] = dataOf(await stats(account, { entity_ids: id }));
    assert.deepEqual(Object.keys(id_data[0].metrics), ENGAGEMENT);
  }),
  accountRule('analytics 6.1', async (account) => {
    const { id } = await account.campaign();
    const [{ id_data }] = dataOf(await stats(account, { entity_ids: id, metric_groups: 'BILLING,ENGAGEMENT' }));
    const billing = ['billed_engagements', 'billed_charge_local_micro'];
    assert.deepEqual(Object.keys(id_data[0].metrics), [...ENGAGEMENT, ...billing]);
  }),
  accountRule('analytics 6.12', async (account) => {
    const { id } = await account.campaign();
    const [{ id_data }] = dataOf(await stats(account, { entity_ids: id, metric_groups: 'WEB_CONVERSION' }));
    const members = Object.values(id_data[0].metrics.conversion_purchases);
    assert.deepEqual(members, Array(10).fill(null));
  }),
];

/** Checks of times: section 3. */
const timeRules: readonly Rule[] = [
  accountRule('analytics 3.2', async (account) => {
    for (const offset of ['+0900', '%2B09:00', '+09']) {
      const start = `2026-02-03T09:00:00${offset.replace('%2B', '+')}`;
      assert.equal((await stats(account, { start_time: start })).body.request.params.start_time, RANGE.start_time);
    }
  }),
  accountRule('analytics 3.3', async (account) => {
    const values = { start_time: '2026-02-03', end_time: '2026-02-04', granularity: 'DAY' };
    const { body } = await stats(account, values);
    assert.equal(body.time_series_length, 1);
    const path = `/12/stats/accounts/${account.id}/reach/campaigns`;
    const reach = await account.get(path, { start_time: '2026-02-03', end_time: '2026-02-04', campaign_ids: 'zz9' });
    assert.equal(reach.body.request.params.start_time, RANGE.start_time);
  }),
  accountRule('analytics 3.7', async (account) => {
    assert.equal((await stats(account)).body.time_series_length, 1);
    assert.equal((await stats(account, { granularity: 'HOUR' })).body.time_series_length, 24);
    const days = { start_time: '2026-02-03', end_time: '2026-02-06', granularity: 'DAY' };
    assert.equal((await stats(account, days)).body.time_series_length, 3);
  }),
  accountRule('analytics 3.8', async (account) => {
    const future = { start_time: '2099-02-03T00:00:00Z', end_time: '2099-02-04T00:00:00Z' };
    assert.equal((await stats(account, future)).body.request.params.end_time, future.end_time);
  }),
];

/** Checks of jobs, active entities and reach: sections 7 to 10. */
const jobRules: readonly Rule[] = [
  accountRule('analytics 1.8', async (account) => {
    const { headers } = await account.get(jobs(account));
    assert.equal(headers.get('x-concurrent-job-limit'), '100');
    assert.match(headers.get('x-concurrent-job-limit-remaining') ?? '', /^\d+$/);
  }),
  accountRule('analytics 4.10', async (account) => {
    for (const [segmentation_type, parameter] of [
      ['METROS', 'country'],
      ['REGIONS', 'country'],
      ['DEVICES', 'platform'],
    ] as const) {
      expectErrors(await createJob(account, { segmentation_type }), 400, missing(parameter));
    }
  }),
  accountRule('analytics 4.11', async (account) => {
    const message = 'Expected a value in WEB_CONVERSION, got "ENGAGEMENT" for metric_groups';
    const reply = await createJob(account, { segmentation_type: 'CONVERSION_TAGS' });
    expectErrors(reply, 400, invalid(message, 'metric_groups'));
  }),
  accountRule('analytics 4.12', async (account) => {
    const reply = await createJob(account, { entity: 'MEDIA_CREATIVE', segmentation_type: 'AGE' });
    const message = 'segmentation_type is not available for entity MEDIA_CREATIVE';
    expectErrors(reply, 400, invalid(message, 'segmentation_type'));
  }),
  accountRule('analytics 3.10', async (account) => {
    const long = (days: number) => window(`The end_time can be a maximum of ${days}.days+1.hours after the start_time`);
    const start_time = '2025-01-01T00:00:00Z';
    expectErrors(await createJob(account, { start_time, end_time: '2025-04-01T02:00:00Z' }), 400, long(90));
    const segmented = { start_time, end_time: '2025-02-15T02:00:00Z', segmentation_type: 'AGE' };
    expectErrors(await createJob(account, segmented), 400, long(45));
  }),
  accountRule('analytics 4.16', async (account) => {
    const error = { code: 'NOT_FOUND', parameter: 'job_id' };
    expectErrors(await account.call('DELETE', jobs(account, '/5')), 404, error);
    assert.deepEqual(dataOf(await account.get(jobs(account), { job_ids: '5' })), []);
  }),
  accountRule('analytics 7.9', async (account) => {
    const error = { code: 'INVALID_PARAMETER', parameter: 'segmentation_type' };
    expectErrors(await createJob(account, { segmentation_type: 'TV_SHOWS' }), 400, error);
  }),
  accountRule('analytics 8.1', async (account) => {
    const job = dataOf(await createJob(account));
    assert.deepEqual(Object.keys(job), JOB);
    assert.equal(job.id_str, String(job.id));
    assert.deepEqual([job.url, job.expires_at, job.status], [null, null, 'PROCESSING']);
    await ended(account, job.id_str);
  }),
  accountRule('analytics 8.15', async (account) => {
    const { id } = await account.campaign();
    const { id_str } = dataOf(await createJob(account, { entity_ids: id }));
    const job = await ended(account, id_str);
    assert.equal(job.status, 'SUCCESS');
    assert.equal(Date.parse(job.expires_at) - Date.parse(job.updated_at), 48 * 3_600_000);
    const { statusCode, headers, body } = await request(new URL(new URL(job.url).pathname, account.api.url));
    assert.deepEqual(
      [statusCode, headers['content-type'], headers['content-encoding']],
      [200, 'application/gzip', undefined],
    );
    const file = JSON.parse(gunzipSync(Buffer.from(await body.arrayBuffer())).toString());
    assert.deepEqual(file, (await stats(account, { entity_ids: id })).body);
  }),
  accountRule('analytics 8.3', async (account) => {
    const older = dataOf(await createJob(account)).id_str;
    const newer = dataOf(await createJob(account)).id_str;
    const reply = await account.get(jobs(account), { job_ids: `${older},${newer}` });
    assert.deepEqual(
      dataOf(reply).map(({ id_str }: Json) => id_str),
      [newer, older],
    );
    assert.deepEqual(reply.body.request.params, { account_id: account.id, job_ids: [older, newer] });
    for (const id of [older, newer]) await ended(account, id);
  }),
  accountRule('analytics 4.17', async (account) => {
    const { id_str } = dataOf(await createJob(account));
    await ended(account, id_str);
    const message = 'Only jobs that are queued or processing can be cancelled';
    const reply = await account.call('DELETE', jobs(account, `/${id_str}`));
    expectErrors(reply, 400, { code: 'INVALID', message, attribute: 'status' });
  }),
  accountRule('analytics 9.1', async (account) => {
    const path = `/12/stats/accounts/${account.id}/active_entities`;
    assert.deepEqual(dataOf(await account.get(path, { ...RANGE, entity: 'CAMPAIGN', campaign_ids: 'zz9' })), []);
    for (const entity of ['ACCOUNT', 'ORGANIC_POST']) {
      expectErrors(await account.get(path, { ...RANGE, entity }), 400, {
        code: 'INVALID_PARAMETER',
        parameter: 'entity',
      });
    }
  }),
  accountRule('analytics 10.2', async (account) => {
    const { id } = await account.campaign();
    const path = `/12/stats/accounts/${account.id}/reach/campaigns`;
    const { body } = await account.get(path, { ...RANGE, campaign_ids: id });
    assert.deepEqual(body, {
      request: { params: { account_id: account.id, campaign_ids: [id], ...RANGE } },
      data_type: 'reach',
      data: [{ id, total_audience_reach: 0, average_frequency: 0 }],
    });
  }),
  accountRule('analytics 10.1', async (account) => {
    const path = `/12/stats/accounts/${account.id}/reach/funding_instruments`;
    const { status, body } = await account.get(path);
    assert.equal(status, 400);
    const parameters = body.errors.map(({ parameter }: Json) => parameter).sort();
    assert.deepEqual(parameters, ['end_time', 'funding_instrument_ids', 'start_time']);
  }),
];

/** Checks of docs/protocol/analytics.md. */
export const analyticsRules: readonly Rule[] = [...statsRules, ...timeRules, ...jobRules];
