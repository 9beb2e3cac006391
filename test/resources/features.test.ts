// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let account: string;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  account = (await openAccount(world.sandbox)).account;
  path = `/12/accounts/${account}/features`;
});
after(() => world.close());

/** @source campaigns 5.6 */
const AT_FIRST = [
  'ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE',
  'AWARENESS_OBJECTIVE',
  'CPI_CHARGING',
  'EVENT_TARGETING',
  'INSTALLED_APP_CATEGORY_TARGETING',
  'MOBILE_CONVERSION_TRANSACTION_VALUE',
  'OPTIMIZED_ACTION_BIDDING',
  'PREROLL_VIEWS_OBJECTIVE',
  'VIDEO_APP_DOWNLOAD_CARD',
];

describe('features', () => {
  const get = async (params: Record<string, string> = {}) =>
    (await world.sandbox.call('GET', path, { params })).body.data;

  test('a new sandbox account has the default features, sorted', async () => {
    assert.deepEqual(await get(), AT_FIRST);
  });

  test('a filter returns the listed features that the account has', async () => {
    const feature_keys = 'VIDEO_APP_DOWNLOAD_CARD,BRAND_TPN,AWARENESS_OBJECTIVE';
    assert.deepEqual(await get({ feature_keys }), ['AWARENESS_OBJECTIVE', 'VIDEO_APP_DOWNLOAD_CARD']);
  });

  const steps: [string, 'POST' | 'DELETE', string, string[]][] = [
    ['one is added', 'POST', 'REACH_FREQUENCY_CAP', [...AT_FIRST, 'REACH_FREQUENCY_CAP']],
    ['one that is there is added', 'POST', 'REACH_FREQUENCY_CAP,CPI_CHARGING', [...AT_FIRST, 'REACH_FREQUENCY_CAP']],
    ['one that is not there is removed', 'DELETE', 'BRAND_TPN', [...AT_FIRST, 'REACH_FREQUENCY_CAP']],
    [
      'several are removed',
      'DELETE',
      'REACH_FREQUENCY_CAP,CPI_CHARGING',
      AT_FIRST.filter((key) => key !== 'CPI_CHARGING'),
    ],
    ['all are removed', 'DELETE', AT_FIRST.join(','), []],
    ['the first comes back', 'POST', 'CITY_TARGETING', ['CITY_TARGETING']],
  ];
  for (const [what, method, feature_keys, expected] of steps) {
    test(`${what}: the whole list is returned, sorted`, async () => {
      const reply = await world.sandbox.call(method, path, { params: { feature_keys } });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.body, {
        request: { params: { account_id: account, feature_keys: feature_keys.split(',') } },
        data: [...expected].sort(),
      });
      assert.deepEqual(await get(), [...expected].sort());
    });
  }

  test('an unknown key is rejected, and nothing changes', async () => {
    const before = await get();
    for (const method of ['POST', 'DELETE', 'GET']) {
      const reply = await world.sandbox.call(method, path, { params: { feature_keys: 'CITY_TARGETING,NO_SUCH' } });
      assert.equal(reply.status, 400);
      assert.equal(reply.body.errors[0].parameter, 'feature_keys');
      assert.match(
        reply.body.errors[0].message,
        /^Expected a value in AGE_TARGETING, .*, got "NO_SUCH" for feature_keys$/,
      );
    }
    assert.deepEqual(await get(), before);
  });
});
