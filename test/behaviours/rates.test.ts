// On either database: limits are checked before it is used.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES, type RateName } from '../../src/contract/declare/rates.ts';
import type { Reply } from '../rig/client.ts';
import { LONGEST_WINDOW_S } from '../rig/rate-windows.ts';
import { openWorld, type World } from '../rig/world.ts';
import { accountOperations, goodCall, openTestAccount, send, type TestAccount } from './test-account.ts';

/** The window of a user and the window of an account, as the headers report them. */
function windows(reply: Reply, kind: 'x-rate-limit' | 'x-account-rate-limit') {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => reply.headers.get(`${kind}-${name}`));
  return limit === null ? undefined : { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

const now_s = (world: World) => Math.floor(world.clock.now() / 1000);

/**
 * The limits of each rate that the advertising API has; `account` ones are counted per account beside the quota of the
 * user.
 * @source campaigns 3.2
 */
const LIMITS: Readonly<Partial<Record<RateName, { readonly user: number; readonly account?: number }>>> = {
  writes: { user: 450 },
  account_reads: { user: 1_000_000, account: 10_000 },
  account_reads_small: { user: 1_000_000, account: 2000 },
  reads: { user: 2000 },
  global_reads: { user: 2000 },
  lookups: { user: 400 },
  keyword_insights: { user: 500 },
  analytics_sync: { user: 250 },
  audience_uploads: { user: 1_000_000, account: 1500 },
  conversions: { user: 1_000_000, account: 60_000 },
};

/** The rates of reads, and of what is neither a read nor an ordinary write. */
const RATE_OF: Readonly<Record<string, RateName>> = {
  'accounts.list': 'global_reads',
  'accounts.get': 'reads',
  'authenticated_user_access.get': 'reads',
  'account_history.list': 'reads',
  'features.get': 'reads',
  'promotable_users.list': 'reads',
  'promotable_users.get': 'reads',
  'targeting_suggestions.list': 'reads',
  'keyword_insights.search': 'keyword_insights',
  'stats.get': 'analytics_sync',
  'active_entities.list': 'analytics_sync',
  'reach.campaigns': 'analytics_sync',
  'reach.funding_instruments': 'analytics_sync',
  'stats_jobs.list': 'reads',
  'tax_settings.get': 'reads',
  'user_settings.get': 'reads',
  'custom_audiences.list': 'account_reads_small',
  'custom_audiences.get': 'account_reads_small',
  'custom_audiences.targeted': 'account_reads_small',
  'custom_audience_permissions.list': 'account_reads_small',
  'tailored_audiences.list': 'account_reads_small',
  'tailored_audiences.get': 'account_reads_small',
  'tailored_audience_permissions.list': 'account_reads_small',
  'do_not_reach_lists.list': 'account_reads_small',
  'funding_instruments.list': 'account_reads_small',
  'funding_instruments.get': 'account_reads_small',
  'campaigns.list': 'account_reads',
  'campaigns.get': 'account_reads',
  'account_apps.list': 'reads',
  'line_items.placements': 'global_reads',
  'line_items.list': 'account_reads',
  'line_items.get': 'account_reads',
  'targeting_criteria.list': 'account_reads',
  'targeting_criteria.get': 'account_reads',
  'promoted_accounts.list': 'account_reads_small',
  'promoted_accounts.get': 'account_reads_small',
  'tracking_tags.list': 'reads',
  'tracking_tags.get': 'reads',
  'web_event_tags.list': 'account_reads_small',
  'web_event_tags.get': 'account_reads_small',
  'line_item_curated_categories.list': 'reads',
  'line_item_curated_categories.get': 'reads',
  'account_media.list': 'account_reads_small',
  'account_media.get': 'account_reads_small',
  'media_library.list': 'account_reads_small',
  'media_library.get': 'account_reads_small',
  'media_creatives.list': 'account_reads',
  'media_creatives.get': 'account_reads',
  'preroll_call_to_actions.list': 'account_reads_small',
  'preroll_call_to_actions.get': 'account_reads_small',
  'cards.list': 'account_reads_small',
  'cards.get': 'account_reads_small',
  'cards_all.list': 'account_reads_small',
  'cards_all.get': 'account_reads_small',
  'poll_cards.list': 'account_reads_small',
  'poll_cards.get': 'account_reads_small',
  'video_conversation_cards.list': 'account_reads_small',
  'video_conversation_cards.get': 'account_reads_small',
  'image_conversation_cards.list': 'account_reads_small',
  'image_conversation_cards.get': 'account_reads_small',
  'draft_posts.list': 'account_reads_small',
  'draft_posts.get': 'account_reads_small',
  'scheduled_posts.list': 'account_reads_small',
  'scheduled_posts.get': 'account_reads_small',
  'posts.list': 'account_reads_small',
  'post_previews.list': 'account_reads_small',
  'promoted_posts.list': 'account_reads',
  'promoted_posts.get': 'account_reads',
  'scheduled_promoted_posts.list': 'account_reads_small',
  'scheduled_promoted_posts.get': 'account_reads_small',
  'bidding_rules.list': 'global_reads',
  'content_categories.list': 'global_reads',
  'advertiser_business_categories.list': 'global_reads',
  'iab_categories.list': 'global_reads',
  'curated_categories.list': 'reads',
  'curated_categories.get': 'reads',
  'publishers.list': 'global_reads',
  'store_categories.list': 'lookups',
  'conversations.list': 'lookups',
  'devices.list': 'lookups',
  'events.list': 'lookups',
  'interests.list': 'lookups',
  'languages.list': 'lookups',
  'locations.list': 'lookups',
  'network_operators.list': 'lookups',
  'platform_versions.list': 'lookups',
  'platforms.list': 'lookups',
  'tv_markets.list': 'reads',
  'tv_shows.list': 'reads',
  'custom_audiences.users': 'audience_uploads',
  'do_not_reach_lists.users': 'audience_uploads',
  'conversions.send': 'conversions',
};

/** The rate that an operation is meant to have, whatever it declares. */
function expectedRate({ id, method }: Operation): RateName {
  const found = RATE_OF[id] ?? (method === 'GET' ? undefined : 'writes');
  assert.ok(found, `${id} needs a row in RATE_OF`);
  return found;
}

describe('with the default limits', () => {
  let world: World;
  let setup: TestAccount;
  before(async () => {
    world = await openWorld();
    setup = await openTestAccount(world);
  });
  after(() => world.close());

  for (const operation of accountOperations.filter((each) => each.id !== 'accounts.remove')) {
    test(`${operation.id} returns its windows`, async () => {
      const call = await goodCall(setup, operation);
      // A fresh window of every kind.
      world.clock.advance(LONGEST_WINDOW_S);
      const reply = await send(world.sandbox, call);
      assert.equal(reply.status, 200, reply.text);
      const rate = expectedRate(operation);
      assert.equal(operation.rate, rate);
      assert.ok(LIMITS[rate], `${rate} needs a row in LIMITS`);
      const { user, account } = LIMITS[rate];
      const { window_s } = RATES[rate];
      const fresh = (limit: number, length_s: number) => ({
        limit,
        remaining: limit - 1,
        reset: now_s(world) + length_s,
      });
      const user_s = account === undefined ? window_s : RATES.user_quota.window_s;
      assert.deepEqual(windows(reply, 'x-rate-limit'), fresh(user, user_s));
      assert.deepEqual(windows(reply, 'x-account-rate-limit'), account && fresh(account, window_s));
    });
  }

  test('a call that counts all matches has a window of its own', async () => {
    for (const operation of accountOperations.filter((each) => 'with_total_count' in each.parameters)) {
      const { path } = await goodCall(setup, operation);
      world.clock.advance(LONGEST_WINDOW_S);
      for (const [index, value] of ['true', '1', 'T'].entries()) {
        const reply = await world.sandbox.call('GET', path, { params: { with_total_count: value } });
        assert.deepEqual(windows(reply, 'x-rate-limit'), {
          limit: 200,
          remaining: 199 - index,
          reset: now_s(world) + RATES.total_count.window_s,
        });
      }
      const plain = await world.sandbox.call('GET', path, { params: { with_total_count: 'false' } });
      assert.notEqual(windows(plain, 'x-rate-limit')!.limit, 200);
    }
  });

  test('where no total is counted, requesting one changes no window', async () => {
    const path = `/12/accounts/${setup.account}?with_total_count=true`;
    const reply = await world.sandbox.call('PUT', path, { params: { name: 'Counted' } });
    assert.equal(windows(reply, 'x-rate-limit')!.limit, 450);
  });

  test('errors have the windows too, once the user is known, and are counted', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const before = await world.sandbox.call('GET', `/12/accounts/${setup.account}`);
    const failures: [number, string, string][] = [
      [403, 'GET', '/12/accounts/zz9zz9'],
      [404, 'GET', '/12/accounts/a-b'],
      [400, 'GET', `/12/accounts/${setup.account}?with_deleted=perhaps`],
    ];
    let remaining = windows(before, 'x-rate-limit')!.remaining;
    for (const [status, method, path] of failures) {
      const reply = await world.sandbox.call(method, path);
      assert.equal(reply.status, status);
      remaining -= 1;
      assert.equal(windows(reply, 'x-rate-limit')!.remaining, remaining, path);
      assert.equal(reply.headers.get('x-access-level'), 'read-write');
    }
    const unsigned = await fetch(`${world.service.sandboxUrl}/12/accounts`);
    assert.equal(unsigned.status, 401);
    assert.equal(unsigned.headers.get('x-rate-limit-limit'), null);
  });
});

describe('when a window is used up', () => {
  let world: World;
  let setup: TestAccount;
  let path: string;
  before(async () => {
    world = await openWorld({
      flags: {
        rate_writes_per_min: 3,
        rate_account_reads_per_15min: 3,
        rate_account_reads_small_per_15min: 2,
        rate_reads_per_15min: 3,
        rate_global_reads_per_15min: 3,
        rate_lookups_per_15min: 3,
        rate_total_count_per_15min: 2,
        rate_user_quota_per_15min: 6,
      },
    });
    setup = await openTestAccount(world);
    path = `/12/accounts/${setup.account}`;
  });
  after(() => world.close());

  function assertRefused(reply: Reply, kind: 'x-rate-limit' | 'x-account-rate-limit'): void {
    assert.equal(reply.status, 429, reply.text);
    assert.deepEqual(reply.body.errors, [
      {
        code: 'TOO_MANY_REQUESTS',
        message: 'Request limit has been exceeded; retry after the time in x-rate-limit-reset',
      },
    ]);
    const window = windows(reply, kind)!;
    assert.equal(window.remaining, 0);
    assert.equal(Number(reply.headers.get('retry-after')), window.reset - now_s(world));
  }

  test('writes of all kinds share a window of a minute, opened by the first', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const opened = now_s(world);
    const first = await world.sandbox.call('PUT', path, { params: { name: 'One' } });
    assert.deepEqual(windows(first, 'x-rate-limit'), { limit: 3, remaining: 2, reset: opened + 60 });
    world.clock.advance(20);
    assert.equal((await world.sandbox.call('POST', '/12/accounts')).status, 200);
    const third = await world.sandbox.call('PUT', path, { params: { name: '' } });
    assert.deepEqual([third.status, windows(third, 'x-rate-limit')!.remaining], [400, 0]);
    world.clock.advance(39);
    for (let again = 0; again < 2; again++) {
      assertRefused(await world.sandbox.call('PUT', path, { params: { name: 'Never' } }), 'x-rate-limit');
    }
    const read = await world.sandbox.call('GET', path);
    assert.equal(read.body.data.name, 'One', 'nothing is executed, and reads have a window of their own');
    world.clock.advance(1);
    const fresh = await world.sandbox.call('PUT', path, { params: { name: 'Two' } });
    assert.deepEqual(windows(fresh, 'x-rate-limit'), { limit: 3, remaining: 2, reset: opened + 120 });
  });

  test('a batch is one write', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const item = { operation_type: 'Create', params: {} };
    const reply = await world.sandbox.call('POST', `/12/batch/accounts/${setup.account}/campaigns`, {
      json: [item, item, item, item],
    });
    assert.deepEqual([reply.status, windows(reply, 'x-rate-limit')!.remaining], [400, 2]);
  });

  test('core reads are counted per endpoint and account, beside the quota of the user', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const other = await openTestAccount(world);
    world.clock.advance(LONGEST_WINDOW_S);
    const list = (account: string) => world.sandbox.call('GET', `/12/accounts/${account}/campaigns`);
    for (let index = 0; index < 3; index++) {
      const reply = await list(setup.account);
      assert.equal(windows(reply, 'x-account-rate-limit')!.remaining, 2 - index);
      assert.equal(windows(reply, 'x-rate-limit')!.remaining, 5 - index);
    }
    const refused = await list(setup.account);
    assertRefused(refused, 'x-account-rate-limit');
    assert.equal(windows(refused, 'x-rate-limit')!.remaining, 3, 'a refused call takes nothing');
    assert.equal((await list(other.account)).status, 200, 'another account has a window of its own');
    const one = await world.sandbox.call('GET', `${path}/campaigns/zz9`);
    assert.equal(one.status, 404, 'another endpoint has a window of its own');
    assert.equal((await list(other.account)).status, 200);
    assertRefused(await list(other.account), 'x-rate-limit');
    world.clock.advance(LONGEST_WINDOW_S);
    assert.equal((await list(setup.account)).status, 200);
  });

  test('the window of an account is shared by its users', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    await world.service.store.write(async (tx) => {
      const user_id = world.keys.other_user_id!;
      await tx.accountMembers.add({ account_id: setup.account, user_id, role: 'AD_MANAGER', post_composer: 0 });
      tx.invalidate(`account:${setup.account}`);
    });
    await world.sandbox.call('GET', `${path}/funding_instruments`);
    const second = await world.other.call('GET', `${path}/funding_instruments`);
    assert.equal(windows(second, 'x-account-rate-limit')!.remaining, 0);
    assert.equal(windows(second, 'x-rate-limit')!.remaining, 5);
    assertRefused(await world.sandbox.call('GET', `${path}/funding_instruments`), 'x-account-rate-limit');
  });

  test('the window of a user is not shared with another, nor between production and sandbox', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    for (let index = 0; index < 3; index++) assert.equal((await world.sandbox.call('GET', '/12/accounts')).status, 200);
    assertRefused(await world.sandbox.call('GET', '/12/accounts'), 'x-rate-limit');
    assert.equal((await world.other.call('GET', '/12/accounts')).status, 200);
    assert.equal((await world.production.call('GET', '/12/accounts')).status, 200);
    assert.equal((await world.sandbox.call('GET', path)).status, 200, 'another endpoint');
  });

  test('look-ups of targeting values share a window, except those of television', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const look = (name: string) => world.sandbox.call('GET', `/12/targeting_criteria/${name}`);
    for (const name of ['locations', 'app_store_categories', 'events']) assert.equal((await look(name)).status, 200);
    assertRefused(await look('languages'), 'x-rate-limit');
    assert.equal((await look('tv_markets')).status, 200);
    assert.equal((await world.sandbox.call('GET', '/12/iab_categories')).status, 200);
  });

  test('counting all matches has a lower limit; plain pages continue', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    const counted = () => world.sandbox.call('GET', '/12/accounts', { params: { with_total_count: true } });
    for (let index = 0; index < 2; index++) assert.equal((await counted()).status, 200);
    assertRefused(await counted(), 'x-rate-limit');
    assert.equal((await world.sandbox.call('GET', '/12/accounts')).status, 200);
  });

  test('the limit comes before the parameters and after the role', async () => {
    world.clock.advance(LONGEST_WINDOW_S);
    for (let index = 0; index < 3; index++) await world.sandbox.call('GET', path);
    assert.equal((await world.sandbox.call('GET', `${path}?with_deleted=perhaps`)).status, 429);
    assert.equal((await world.sandbox.call('GET', '/12/accounts/zz9zz9')).status, 403);
  });
});

test('with limits off nobody is refused, and replies still have the windows', async () => {
  const world = await openWorld({ flags: { rate_limits: 'off', rate_global_reads_per_15min: 1 } });
  try {
    for (let index = 0; index < 5; index++) {
      const reply = await world.sandbox.call('GET', '/12/accounts');
      assert.equal(reply.status, 200);
      assert.ok(windows(reply, 'x-rate-limit')!.remaining > 1_000_000);
    }
  } finally {
    await world.close();
  }
});

test('a call with an internal error is not counted, and reveals nothing private', async () => {
  const world = await openWorld();
  try {
    const setup = await openTestAccount(world);
    const path = `/12/accounts/${setup.account}/features`;
    const { remaining } = windows(await world.sandbox.call('GET', path), 'x-rate-limit')!;
    const drop = 'drop table account_features';
    await world.service.driver.write((session) => session.runRaw(drop));
    for (let again = 0; again < 2; again++) {
      const failed = await world.sandbox.call('GET', path);
      assert.equal(failed.status, 500);
      assert.deepEqual(failed.body, {
        errors: [{ code: 'INTERNAL_ERROR', message: 'Internal error' }],
        request: { params: { account_id: setup.account } },
      });
      assert.equal(windows(failed, 'x-rate-limit')!.remaining, remaining);
    }
    const written = await world.sandbox.call('POST', path, { params: { feature_keys: 'BRAND_TPN' } });
    assert.deepEqual([written.status, windows(written, 'x-rate-limit')!.remaining], [500, 450 - 1]);
  } finally {
    await world.close();
  }
});
