// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { EXTERNAL_CHANGE_POLL_MS } from '../../src/storage/core/external-changes.ts';
import { type Client, clientOf, type Keys, type Reply } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { barker, flagsOf, MASTER_KEY, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
type Told = Record<string, string>;

let place: Place;
let service: Awaited<ReturnType<typeof startServe>>;
let ada: Client;
let ben: Client;
let benId: string;
const run = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });
const told = async (...args: string[]): Promise<Told> => toldBy(await run('account', ...args));

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const input = 'correct horse battery staple\n';
  for (const name of ['ada', 'ben']) toldBy(await barker(['user', 'create', name, ...flagsOf(place)], { env, input }));
  const callback = ['--website', 'https://a.test', '--callback', 'https://a.test/back', '--level', 'read-write'];
  const app = toldBy(await run('app', 'create', 'Reports', '--owner', 'ada', ...callback));
  const token = async (user: string) =>
    toldBy(await run('token', 'create', '--app', app.consumer_key!, '--user', user));
  const [ofAda, ofBen] = [await token('ada'), await token('ben')];
  benId = ofBen.user_id!;
  service = await startServe(place);
  ada = clientOf(service.url, { ...app, ...ofAda } as unknown as Keys, systemClock);
  ben = clientOf(service.url, { ...app, ...ofBen } as unknown as Keys, systemClock);
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await place.remove();
});

/** Asks until the running service has taken notice; it looks by itself. */
async function askUntil(client: Client, path: string, isMeant: (reply: { status: number; body: never }) => boolean) {
  let reply!: Reply;
  await until(
    () => `${path} is answered as meant: ${reply.status} ${reply.text}`,
    async () => {
      reply = await client.call('GET', path);
      return isMeant(reply as never);
    },
  );
  return reply;
}

describe('barker account', () => {
  let id: string;
  before(async () => {
    const business = ['--business-name', 'Harbour Ltd', '--business-id', '4v9k1', '--industry', 'RETAIL'];
    const made = await told('create', 'Harbour Coffee', '--admin', 'ada', '--timezone', 'Europe/London', ...business);
    id = made.account_id!;
  });

  test('creates a production account that the running server knows', async () => {
    assert.match(id, /^1[0-9a-z]{10}$/);
    const reply = await ada.call('GET', `/12/accounts/${id}`);
    const { name, business_name, business_id, timezone, timezone_switch_at, industry_type, approval_status } =
      reply.body.data;
    assert.deepEqual(
      [name, business_name, business_id, timezone, industry_type, approval_status],
      ['Harbour Coffee', 'Harbour Ltd', '4v9k1', 'Europe/London', 'RETAIL', 'ACCEPTED'],
    );
    assert.match(timezone_switch_at, /T(00|23):00:00Z$/);
    const access = await ada.call('GET', `/12/accounts/${id}/authenticated_user_access`);
    assert.deepEqual(access.body.data.permissions, ['ACCOUNT_ADMIN', 'POST_COMPOSER']);
    const promotable = await ada.call('GET', `/12/accounts/${id}/promotable_users`);
    assert.deepEqual(
      promotable.body.data.map((row: Told) => [row.user_id, row.promotable_user_type]),
      [[access.body.data.user_id, 'FULL']],
    );
    assert.equal((await ben.call('GET', `/12/accounts/${id}`)).status, 403);
  });

  test('lists and shows accounts', async () => {
    const line = `${id}\tproduction\tACCEPTED\tHarbour Coffee\n`;
    assert.ok((await run('account', 'list')).stdout.includes(line));
    assert.ok((await run('account', 'list', '--user', 'ada')).stdout.includes(line));
    assert.ok(!(await run('account', 'list', '--user', 'ben')).stdout.includes(line));
    const shown = await told('show', id);
    assert.deepEqual(
      [shown.environment, shown.role_ada, shown.timezone, shown.features],
      ['production', 'ACCOUNT_ADMIN,POST_COMPOSER', 'Europe/London', ''],
    );
    assert.ok(Object.values(shown).includes('FULL ada'));
  });

  test('grants and revokes roles in the running server', async () => {
    const path = `/12/accounts/${id}/authenticated_user_access`;
    const input = await told('role', id, 'ben', '--role', 'AD_MANAGER', '--post-composer');
    assert.deepEqual(input, { account_id: id, user_id: benId, role: 'AD_MANAGER', post_composer: 'yes' });
    const reply = await askUntil(ben, path, ({ status }) => status === 200);
    assert.deepEqual(reply.body.data.permissions, ['AD_MANAGER', 'POST_COMPOSER']);
    await told('role', id, 'ben', '--role', 'ANALYST');
    await askUntil(ben, path, ({ body }) => JSON.stringify(body).includes('["ANALYST"]'));
    await told('role', id, 'ben', '--none');
    await askUntil(ben, path, ({ status }) => status === 403);
  });

  test('grants and removes features', async () => {
    const some = await told('features', id, '--add', 'REACH_FREQUENCY_CAP', 'AGE_TARGETING');
    assert.equal(some.features, 'AGE_TARGETING,REACH_FREQUENCY_CAP');
    const fewer = await told('features', id, '--remove', 'AGE_TARGETING', '--add', 'BRAND_TPN');
    assert.equal(fewer.features, 'BRAND_TPN,REACH_FREQUENCY_CAP');
    const reply = await ada.call('GET', `/12/accounts/${id}/features`);
    assert.deepEqual(reply.body.data, ['BRAND_TPN', 'REACH_FREQUENCY_CAP']);
  });

  test('adds a funding instrument for campaigns', async () => {
    const line = ['--type', 'CREDIT_LINE', '--currency', 'EUR', '--credit-limit', '5000000000'];
    const made = await told('fund', id, ...line, '--description', 'House bank', '--start-time', '2026-01-01');
    const reply = await ada.call('GET', `/12/accounts/${id}/funding_instruments/${made.funding_instrument_id}`);
    const { type, currency, credit_limit_local_micro, description, start_time, able_to_fund } = reply.body.data;
    assert.deepEqual(
      [type, currency, credit_limit_local_micro, description, start_time, able_to_fund],
      ['CREDIT_LINE', 'EUR', 5_000_000_000, 'House bank', '2026-01-01T00:00:00Z', true],
    );
    const campaign = await ada.call('POST', `/12/accounts/${id}/campaigns`, {
      params: { name: 'Paid', funding_instrument_id: made.funding_instrument_id! },
    });
    assert.equal(campaign.status, 200, campaign.text);
    assert.equal((await told('show', id))[`funding_${made.funding_instrument_id}`], 'CREDIT_LINE 5000 EUR House bank');
  });

  test('sets and removes limit overrides in the running server', async () => {
    const funding = await told('fund', id, '--type', 'CREDIT_CARD', '--currency', 'USD');
    const create = () =>
      ada.call('POST', `/12/accounts/${id}/campaigns`, {
        params: { name: 'Active', funding_instrument_id: funding.funding_instrument_id!, entity_status: 'ACTIVE' },
      });
    const { account_id, ...one } = await told('limits', id, '--active-campaigns', '1');
    assert.deepEqual(one, { active_campaigns: '1', active_line_items: 'default', campaign_line_items: 'default' });
    for (;;) {
      const reply = await create();
      if (reply.status === 200) {
        // Fewer campaigns than the default limit until the server notices.
        await delay(EXTERNAL_CHANGE_POLL_MS / 10);
        continue;
      }
      assert.equal(reply.body.errors[0].message, `Account ${id} cannot have more than 1 active campaigns`);
      break;
    }
    const two = await told('limits', id, '--active-campaigns', 'default', '--campaign-line-items', '7');
    assert.deepEqual([two.active_campaigns, two.campaign_line_items], ['default', '7']);
    assert.equal((await told('show', id)).limit_campaign_line_items, '7');
    while ((await create()).status !== 200);
  });

  test('changes the approval status', async () => {
    assert.equal((await told('approve', id, '--status', 'UNDER_REVIEW')).approval_status, 'UNDER_REVIEW');
    const reply = await ada.call('GET', `/12/accounts/${id}`);
    assert.equal(reply.body.data.approval_status, 'UNDER_REVIEW');
    assert.equal((await told('approve', id)).approval_status, 'ACCEPTED');
  });

  test('creates a sandbox account', async () => {
    const { account_id } = await told('create', 'Playground', '--admin', 'ben', '--sandbox');
    assert.match(account_id!, /^g[0-9a-z]{5}$/);
    assert.match(
      (await run('account', 'list')).stdout,
      new RegExp(`^${account_id}\tsandbox\tACCEPTED\tPlayground$`, 'm'),
    );
    assert.equal((await ben.call('GET', `/12/accounts/${account_id}`)).status, 403);
  });

  const refused: [args: string[], code: number, stderr: RegExp][] = [
    [['show', 'zzz'], 1, /^barker: there is no account zzz; see: barker account list\n$/],
    [['create', 'X', '--admin', 'zed'], 1, /^barker: there is no user zed; see: barker user list\n$/],
    [['create', 'X', '--admin', 'ada', '--timezone', 'Mars/Base'], 2, /^barker: there is no time zone Mars\/Base\n$/],
    [['create', '', '--admin', 'ada'], 2, /^barker: account\.name: "name" is a required parameter\n$/],
    [['role', 'ID', 'ben'], 2, /^barker: give either --role or --none\n$/],
    [['role', 'ID', 'ben', '--none'], 1, /^barker: ben has no role on account \w+\n$/],
    [['role', 'ID', 'ada', '--none'], 1, /^barker: ada is the last administrator of account \w+\n$/],
    [['role', 'ID', 'ada', '--role', 'ANALYST'], 1, /^barker: ada is the last administrator of account \w+\n$/],
    [
      ['role', 'ID', 'ben', '--role', 'ANALYST', '--post-composer'],
      2,
      /^barker: POST_COMPOSER applies to ACCOUNT_ADMIN/,
    ],
    [['features', 'ID'], 2, /^barker: give --add or --remove\n$/],
    [
      ['features', 'ID', '--add', 'NOPE'],
      2,
      /^barker: account\.features: Expected a value in .* got "NOPE" for features\n$/,
    ],
    [['limits', 'ID'], 2, /^barker: give a limit\n$/],
    [
      ['limits', 'ID', '--active-campaigns', '8001'],
      2,
      /^barker: limits\.active_campaigns: Expected int between 1 and 8000, got "8001" for active_campaigns/,
    ],
    [
      ['fund', 'ID', '--type', 'INSERTION_ORDER', '--currency', 'USD'],
      2,
      /^barker: funding_instrument\.end_time: "end_time" is a required/,
    ],
    [
      ['fund', 'ID', '--type', 'CREDIT_CARD', '--currency', 'QQQ'],
      2,
      /^barker: funding_instrument\.currency: Expected a value in /,
    ],
    [['approve', 'ID', '--status', 'FINE'], 2, /^barker: option '--status <status>' argument 'FINE' is invalid/],
  ];
  for (const [args, code, stderr] of refused) {
    test(`rejects account ${args.join(' ')}`, async () => {
      const outcome = await run('account', ...args.map((arg) => (arg === 'ID' ? id : arg)));
      assert.match(outcome.stderr, stderr);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
    });
  }
});
