import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { contentOfBytes } from '../../src/contract/services/objects.ts';
import { statsJobExpiry } from '../../src/features/ads/analytics/stats-files.ts';
import { STATS_FILE_EXPIRY, STATS_JOB, statsJob } from '../../src/features/ads/analytics/stats-job.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type StatsPlace, statsCalls } from './stats-calls.ts';

let world: World;
let place: StatsPlace;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openPlace();
  await deliver(
    place,
    { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 30, 2: 5 }, engagements: { 1: 3 } } },
    { line: 1, day: '2026-03-01', numbers: { impressions: { 2: 7 } } },
  );
});
after(() => world.close());
const calls = statsCalls(() => world);
const { openPlace, deliver, asking, get, call, runJob, textOf } = calls;
const week = { start_time: '2026-02-25', end_time: '2026-03-04' };
const jobsOf = ({ account }: StatsPlace) => `/jobs/accounts/${account}`;
const limitsOf = ({ headers }: Reply) =>
  ['x-concurrent-job-limit', 'x-concurrent-job-limit-remaining'].map((name) => headers.get(name));

/** Keeps the jobs of an account from running: none is planned. */
async function addUnfinished(
  { account }: StatsPlace,
  count: number,
  from = 0,
  created_at = '2026-03-02T00:00:00Z',
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => String(1_900_000_000_000_000 + from + at));
  await world.service.store.write(async (tx) => {
    for (const id of ids) {
      await tx.statsJobs.add({
        ...{ id, account_id: account, status: 'PROCESSING', entity: 'LINE_ITEM', entity_ids: ['zz9'] },
        ...{ start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z', granularity: 'TOTAL' },
        ...{ placement: 'ALL_ON_SERVICE', metric_groups: ['BILLING'], segmentation_type: null, country: null },
        ...{ platform: null, file_name: null, object_key: null, expires_at: null },
        ...{ created_at, updated_at: created_at },
      });
    }
  });
  return ids;
}

describe('a job for statistics', () => {
  test('is created from parameters in the query, and repeats what was given', async () => {
    const other = await openPlace();
    const params = asking([other.lines[0]!.id], { ...week, segmentation_type: 'gender' });
    const reply = await world.sandbox.call('POST', `/12/stats${jobsOf(other)}/?${new URLSearchParams(params)}`);
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.body;
    const given = {
      ...{ start_time: '2026-02-25T08:00:00Z', entity_ids: [other.lines[0]!.id], end_time: '2026-03-04T08:00:00Z' },
      ...{ placement: 'ALL_ON_SERVICE', granularity: 'TOTAL', entity: 'LINE_ITEM', segmentation_type: 'GENDER' },
      metric_groups: ['ENGAGEMENT', 'BILLING'],
    };
    const job = {
      ...{ start_time: given.start_time, segmentation_type: 'GENDER', url: null, id_str: data.id_str },
      ...{ entity_ids: given.entity_ids, end_time: given.end_time, country: null, placement: 'ALL_ON_SERVICE' },
      ...{ id: Number(data.id_str), expires_at: null, account_id: other.account, status: 'PROCESSING' },
      ...{ granularity: 'TOTAL', entity: 'LINE_ITEM', created_at: '2026-03-02T17:04:55Z', platform: null },
      ...{ updated_at: '2026-03-02T17:04:55Z', metric_groups: given.metric_groups },
    };
    assert.equal(reply.text, JSON.stringify({ request: { params: given }, data: job }));
    assert.ok(Number.isSafeInteger(data.id));
    assert.deepEqual(limitsOf(reply), ['100', '99']);
  });

  test('writes the very reply of the synchronous call into its file', async () => {
    const params = { ...asking(place.lines.map(({ id }) => id)), ...week, granularity: 'HOUR' };
    const job = await runJob(place, params);
    assert.equal(job.status, 'SUCCESS');
    assert.equal(Date.parse(job.expires_at) - Date.parse(job.updated_at), 48 * 3_600_000);
    assert.ok(job.url.startsWith(`${world.service.sandboxUrl}/downloads/stats/${job.id_str}-`), job.url);
    assert.match(job.url, /\/\d{16}-[\w-]{43}\.json\.gz$/);
    assert.equal(await textOf(job), (await get(place, params)).text);
    const again = await runJob(place, params);
    const bytes = async ({ url }: { url: string }) => Buffer.from(await (await fetch(url)).arrayBuffer());
    assert.deepEqual(await bytes(again), await bytes(job));
    assert.notEqual(again.url, job.url);
  });

  test('may cover 90 days, or 45 with segments', async () => {
    const of = asking([place.lines[0]!.id]);
    const refusal = async (end_time: string, more: Record<string, string> = {}) => {
      const reply = await call('POST', jobsOf(place), { ...of, start_time: '2026-01-01', end_time, ...more });
      return [reply.status, reply.body.errors?.[0].message];
    };
    const tooLong = (days: number) => `The end_time can be a maximum of ${days}.days+1.hours after the start_time`;
    assert.deepEqual(await refusal('2026-04-01'), [200, undefined]);
    assert.deepEqual(await refusal('2026-04-02'), [400, tooLong(90)]);
    const segmented = { segmentation_type: 'AGE' };
    assert.deepEqual(await refusal('2026-02-15', segmented), [200, undefined]);
    assert.deepEqual(await refusal('2026-02-15T10:00:00Z', segmented), [400, tooLong(45)]);
  });

  test('is refused for times as statistics at once are', async () => {
    const of = { ...asking([place.lines[0]!.id]), ...week };
    const refusal = async (more: Record<string, string>) =>
      (await call('POST', jobsOf(place), { ...of, ...more })).body.errors[0].message;
    assert.equal(await refusal({ end_time: '2026-03-01T00:30:00Z' }), 'Time cannot be fractional hours');
    assert.equal(await refusal({ end_time: '2026-02-25' }), 'The end_time must be after the start_time');
    assert.equal(
      await refusal({ end_time: '2026-03-01T00:00:00Z', granularity: 'DAY' }),
      "Expect time to be midnight in the account's local timezone for day granularity",
    );
  });

  test('is refused for segments that do not exist', async () => {
    const of = { ...asking([place.lines[0]!.id]), ...week };
    const refusal = async (more: Record<string, string>) => {
      const reply = await call('POST', jobsOf(place), { ...of, ...more });
      assert.equal(reply.status, 400, reply.text);
      const [error, ...others] = reply.body.errors;
      assert.deepEqual(others, []);
      return [error.code, error.parameter, error.message];
    };
    const types =
      'AGE, CONVERSION_TAGS, DEVICES, GENDER, LANGUAGES, LOCATIONS, METROS, PLATFORMS, PLATFORM_VERSIONS, REGIONS';
    assert.deepEqual(await refusal({ segmentation_type: 'INTERESTS' }), [
      ...['INVALID_PARAMETER', 'segmentation_type'],
      `Expected a value in ${types}, got "INTERESTS" for segmentation_type`,
    ]);
    for (const [type, parameter] of [
      ['METROS', 'country'],
      ['REGIONS', 'country'],
      ['LOCATIONS', 'country'],
      ['DEVICES', 'platform'],
      ['PLATFORM_VERSIONS', 'platform'],
    ] as const) {
      const message = `"${parameter}" is a required parameter`;
      assert.deepEqual(await refusal({ segmentation_type: type }), ['MISSING_PARAMETER', parameter, message]);
    }
    assert.deepEqual(await refusal({ segmentation_type: 'METROS', country: 'US' }), [
      ...['INVALID_PARAMETER', 'country', 'Expected the targeting value of a country, got "US" for country'],
    ]);
    assert.deepEqual(await refusal({ segmentation_type: 'DEVICES', platform: '9' }), [
      ...['INVALID_PARAMETER', 'platform', 'Expected a value of the PLATFORM look-up, got "9" for platform'],
    ]);
    assert.deepEqual(await refusal({ segmentation_type: 'CONVERSION_TAGS' }), [
      ...['INVALID_PARAMETER', 'metric_groups'],
      'Expected a value in WEB_CONVERSION, got "ENGAGEMENT" for metric_groups',
    ]);
    for (const entity of ['MEDIA_CREATIVE', 'ORGANIC_POST']) {
      const message = `segmentation_type is not available for entity ${entity}`;
      const expected = ['INVALID_PARAMETER', 'segmentation_type', message];
      assert.deepEqual(await refusal({ segmentation_type: 'AGE', entity }), expected);
    }
  });

  test('is one of 100 at most that have not ended, and cancelling one makes room', async () => {
    const own = await openPlace();
    const [first] = await addUnfinished(own, 100);
    const params = { ...asking([own.lines[0]!.id]), ...week };
    const refused = await call('POST', jobsOf(own), params);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      { code: 'TOO_MANY_JOBS', message: 'A maximum of 100 jobs can be in processing state' },
    ]);
    assert.deepEqual(limitsOf(await call('GET', jobsOf(own))), ['100', '0']);
    const cancelled = await call('DELETE', `${jobsOf(own)}/${first}`);
    assert.equal(cancelled.status, 200);
    assert.deepEqual([cancelled.body.data.status, cancelled.body.data.id_str], ['CANCELLED', first]);
    assert.deepEqual(cancelled.body.request, { params: { account_id: own.account, job_id: first } });
    const created = await call('POST', jobsOf(own), params);
    assert.equal(created.status, 200, created.text);
    assert.deepEqual(limitsOf(created), ['100', '0']);
    const again = await call('DELETE', `${jobsOf(own)}/${first}`);
    assert.equal(again.status, 400);
    assert.deepEqual(again.body.errors, [
      {
        ...{ code: 'INVALID', message: 'Only jobs that are queued or processing can be cancelled' },
        attribute: 'status',
      },
    ]);
    const unknown = await call('DELETE', `${jobsOf(place)}/${first}`);
    assert.equal(unknown.status, 404);
    assert.deepEqual(unknown.body.errors, [
      { code: 'NOT_FOUND', message: `Job ${first} was not found`, parameter: 'job_id', value: first },
    ]);
    assert.equal((await call('DELETE', `${jobsOf(place)}/a-b`)).body.errors[0].code, 'INVALID_ID_ILLEGAL_CHARACTERS');
  });

  test('that is cancelled while it runs stays cancelled', async () => {
    const own = await openPlace();
    const [id] = await addUnfinished(own, 1, 4000);
    assert.equal((await call('DELETE', `${jobsOf(own)}/${id}`)).status, 200);
    const done = { file_name: `${id}-x.json.gz`, object_key: `stats/${id}/x` };
    const job = { kind: STATS_JOB, key: `${own.account}/${id}`, run_at: '', lease: '', attempts: 1 };
    await world.service.store.write((tx) => statsJob.store(tx, job, done, '2026-03-02T17:04:55Z'));
    const [{ status, url }] = (await call('GET', jobsOf(own))).body.data;
    assert.deepEqual([status, url], ['CANCELLED', null]);
  });

  test('is given up after three failures', async () => {
    const own = await openPlace();
    await deliver(own, { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 1 } } });
    // What no day of delivery looks like.
    const broken = world.service.driver.write(({ dialect, runRaw }) => {
      const hours = dialect === 'sqlite' ? "x'1800ff'" : "'\\x1800ff'";
      return runRaw(`update delivery_days set hours = ${hours} where account_id = '${own.account}'`);
    });
    assert.equal(await broken, 1);
    const made = await call('POST', jobsOf(own), { ...asking([own.lines[0]!.id]), ...week });
    const { id_str } = made.body.data;
    const statuses: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      world.clock.advance(10);
      await world.service.services.jobs.runNow(STATS_JOB, `${own.account}/${id_str}`);
      statuses.push((await call('GET', jobsOf(own))).body.data[0].status);
    }
    assert.deepEqual(statuses, ['PROCESSING', 'PROCESSING', 'FAILED']);
    assert.deepEqual(limitsOf(await call('GET', jobsOf(own))), ['100', '100']);
  });
});

describe('the list of jobs', () => {
  test('is newest first, in pages, and filtered by ids', async () => {
    const own = await openPlace();
    const ids = await addUnfinished(own, 3, 1000);
    const page = async (params: Record<string, string>) => (await call('GET', jobsOf(own), params)).body;
    const shown = (body: { data: { id_str: string }[] }) => body.data.map(({ id_str }) => id_str);
    assert.deepEqual(shown(await page({})), ids.toReversed());
    const first = await page({ count: '2' });
    assert.deepEqual(shown(first), [ids[2], ids[1]]);
    const second = await page({ count: '2', cursor: first.next_cursor });
    assert.deepEqual([shown(second), second.next_cursor], [[ids[0]], null]);
    const some = await page({ job_ids: `${ids[1]},42` });
    assert.deepEqual(shown(some), [ids[1]]);
    assert.deepEqual(some.request, { params: { account_id: own.account, job_ids: [ids[1], '42'] } });
    // An old client names it so.
    assert.deepEqual(shown(await page({ job_id: ids[1]! })), ids.toReversed());
    const wrong = await call('GET', jobsOf(own), { cursor: 'x' });
    assert.deepEqual(
      [wrong.status, wrong.body.errors[0].message],
      [400, 'Expected a cursor of this list, got "x" for cursor'],
    );
    const many = Array.from({ length: 201 }, (_, at) => String(at)).join(',');
    assert.equal((await call('GET', jobsOf(own), { job_ids: many })).status, 400);
  });

  test('shows those about posts that nobody pays for to analysts of posts, and no others', async () => {
    const own = await openPlace();
    const [id] = await addUnfinished(own, 1, 2000);
    await world.service.store.write(async (tx) => {
      const user_id = world.keys.other_user_id!;
      await tx.accountMembers.add({ account_id: own.account, user_id, role: 'ANALYST', post_composer: 0 });
      tx.invalidate(`account:${own.account}`);
    });
    const path = `/12/stats${jobsOf(own)}`;
    const params = { ...asking(['42']), ...week };
    assert.equal((await world.other.call('POST', path, { params })).body.errors[0].code, 'ACTION_NOT_ALLOWED');
    const made = await world.other.call('POST', path, { params: { ...params, entity: 'ORGANIC_POST' } });
    assert.equal(made.status, 200, made.text);
    const listed = await world.other.call('GET', path);
    assert.deepEqual(
      listed.body.data.map(({ id_str }: { id_str: string }) => id_str),
      [made.body.data.id_str],
    );
    assert.equal((await world.other.call('DELETE', `${path}/${id}`)).status, 404);
    const sync = `/12/stats/accounts/${own.account}`;
    assert.equal((await world.other.call('GET', sync, { params })).body.errors[0].code, 'ACTION_NOT_ALLOWED');
    const free = await world.other.call('GET', sync, { params: { ...params, entity: 'ORGANIC_POST' } });
    assert.equal(free.status, 200);
  });

  test('has jobs for 30 days', async () => {
    const own = await openPlace();
    const [id] = await addUnfinished(own, 1, 3000, '2026-01-15T00:00:00Z');
    const { store } = world.service;
    const now = '2026-02-14T00:00:01Z';
    const gone = await store.write((tx) =>
      statsJobExpiry.store(tx, { ...statsJobExpiry.plannedAt(now), lease: '', attempts: 1 }, 0, now),
    );
    assert.equal(gone, 1);
    assert.equal(await store.read((tx) => tx.statsJobs.find(own.account, id!)), undefined);
  });

  test('leaves no files behind that no job names', async () => {
    const job = await runJob(place, { ...asking([place.lines[0]!.id]), ...week });
    const { services, store } = world.service;
    const { object_key } = (await store.read((tx) => tx.statsJobs.find(place.account, job.id_str)))!;
    const orphan = `stats/${job.id_str}/orphan`;
    await services.objects.put(orphan, contentOfBytes(Buffer.from('unnamed')));
    const inTwoDays = { now: () => Date.now() + 2 * 86_400_000 };
    const later = { ...services, media: { ...services.media, machineClock: inTwoDays } };
    const planned = { ...statsJobExpiry.plannedAt(''), lease: '', attempts: 1 };
    const { signal } = new AbortController();
    assert.equal(await statsJobExpiry.prepare!(planned, services, signal), 0);
    assert.equal(await statsJobExpiry.prepare!(planned, later, signal), 1);
    assert.equal(await services.objects.head(orphan), undefined);
    assert.ok(await services.objects.head(object_key!));
  });
});

describe('the file of a job', () => {
  let url: string;
  let text: string;
  before(async () => {
    const params = { ...asking([place.lines[0]!.id]), ...week };
    ({ url } = await runJob(place, params));
    text = (await get(place, params)).text;
  });

  test('has the headers that clients need', async () => {
    const reply = await fetch(url, { headers: { 'accept-encoding': 'gzip, deflate' } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    assert.equal(gunzipSync(bytes).toString(), text);
    const names = ['content-type', 'content-encoding', 'content-length', 'cache-control', 'x-content-type-options'];
    assert.deepEqual(
      names.map((name) => reply.headers.get(name)),
      ['application/gzip', null, String(bytes.length), 'private, no-store', 'nosniff'],
    );
    const name = url.slice(url.lastIndexOf('/') + 1);
    assert.equal(reply.headers.get('content-disposition'), `attachment; filename="${name}"`);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    // The modification time of the file inside is not told.
    assert.deepEqual([...bytes.subarray(4, 8)], [0, 0, 0, 0]);
  });

  test('is sent over HTTP/1.0', async () => {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${pathname} HTTP/1.0\r\nHost: ${hostname}:${port}\r\n\r\n`);
    const bytes = Buffer.concat(await socket.toArray());
    const end = bytes.indexOf('\r\n\r\n');
    assert.match(bytes.subarray(0, end).toString(), /^HTTP\/1\.1 200 /);
    assert.equal(gunzipSync(bytes.subarray(end + 4)).toString(), text);
  });

  test('is sent to whoever signs the request, well or badly, over and over', async () => {
    const authorization = 'OAuth oauth_consumer_key="x", oauth_nonce="same", oauth_signature="wrong"';
    for (let time = 0; time < 2; time++) {
      assert.equal((await fetch(url, { headers: { authorization } })).status, 200);
    }
  });

  test('is refused as JSON where there is none', async () => {
    for (const path of [
      '/downloads/stats/x.json.gz',
      '/downloads/x',
      url.replace(/.\.json\.gz$/, '-.json.gz').slice(world.service.sandboxUrl.length),
    ]) {
      const reply = await fetch(world.service.sandboxUrl + path);
      assert.equal(reply.status, 404, path);
      assert.equal(reply.headers.get('content-type'), 'application/json;charset=utf-8');
      const name = path.slice(path.lastIndexOf('/') + 1);
      assert.deepEqual(await reply.json(), {
        errors: [{ code: 'NOT_FOUND', message: `File ${name} was not found` }],
        request: { params: {} },
      });
    }
    const posted = await fetch(url, { method: 'POST', body: 'x' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    const asked = await fetch(url, { method: 'OPTIONS' });
    assert.deepEqual([asked.status, asked.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
  });

  test('expires 48 hours later, by the clock of the service', async () => {
    const job = await runJob(place, { ...asking([place.lines[0]!.id]), ...week });
    const find = () => world.service.store.read((tx) => tx.statsJobs.find(place.account, job.id_str));
    const { object_key } = (await find())!;
    world.clock.advance(48 * 3600 - 1);
    assert.equal((await fetch(job.url)).status, 200);
    world.clock.advance(1);
    assert.equal((await fetch(job.url)).status, 404);
    const listed = await call('GET', jobsOf(place), { job_ids: job.id_str });
    const [{ status, url: gone, expires_at }] = listed.body.data;
    assert.deepEqual([status, gone, expires_at], ['SUCCESS', null, job.expires_at]);
    await world.service.services.jobs.runNow(STATS_FILE_EXPIRY, `${place.account}/${job.id_str}`);
    assert.equal((await find())!.object_key, null);
    assert.equal(await world.service.services.objects.head(object_key!), undefined);
  });
});

test('the kind of jobs has a runner of its own', () => assert.equal(statsJob.lane, 'awaited'));
