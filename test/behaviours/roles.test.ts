// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { ROLES, type Role } from '../../src/contract/declare/roles.ts';
import { sampled } from '../rig/sampling.ts';
import { sampledOperations, shapeOf } from '../rig/shapes.ts';
import { openWorld, type World } from '../rig/world.ts';
import { accountOperations, fill, goodCall, openTestAccount, send, type TestAccount } from './test-account.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const EVERYONE = ROLES;
const STATS_READERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CAMPAIGN_ANALYST'];
const READERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST'];
const WRITERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER'];
const ADMIN: readonly Role[] = ['ACCOUNT_ADMIN'];
/** @source creatives 1.5 */
const AUDIENCE_READERS: readonly Role[] = [...READERS, 'PARTNER_AUDIENCE_MANAGER'];
const AUDIENCE_MANAGERS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'];
const CREATORS: readonly Role[] = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER'];

/** Who may do what; a new operation needs a row. @source campaigns 5.5 */
const ALLOWED: Record<string, readonly Role[]> = {
  'accounts.get': EVERYONE,
  'accounts.update': ADMIN,
  'accounts.remove': ADMIN,
  'authenticated_user_access.get': EVERYONE,
  'account_history.list': READERS,
  'account_apps.list': READERS,
  'features.get': EVERYONE,
  'features.add': WRITERS,
  'features.remove': WRITERS,
  'promotable_users.list': READERS,
  'promotable_users.get': READERS,
  'targeting_suggestions.list': READERS,
  'audience_estimate.create': READERS,
  'stats.get': STATS_READERS,
  'active_entities.list': STATS_READERS,
  'reach.campaigns': STATS_READERS,
  'reach.funding_instruments': STATS_READERS,
  'stats_jobs.create': STATS_READERS,
  // They see those about posts that nobody pays for.
  'stats_jobs.list': [...STATS_READERS, 'ANALYST'],
  'stats_jobs.remove': [...STATS_READERS, 'ANALYST'],
  'tax_settings.get': READERS,
  'tax_settings.update': ADMIN,
  'user_settings.get': EVERYONE,
  'user_settings.update': EVERYONE,
  'funding_instruments.list': READERS,
  'funding_instruments.get': READERS,
  'funding_instruments.create': WRITERS,
  'funding_instruments.remove': WRITERS,
  'campaigns.list': READERS,
  'campaigns.get': READERS,
  'campaigns.create': WRITERS,
  'campaigns.update': WRITERS,
  'campaigns.remove': WRITERS,
  'campaigns.activate': WRITERS,
  'campaigns.batch': WRITERS,
  'line_items.list': READERS,
  'line_items.get': READERS,
  'line_items.create': WRITERS,
  'line_items.update': WRITERS,
  'line_items.activate': WRITERS,
  'line_items.remove': WRITERS,
  'line_items.batch': WRITERS,
  'targeting_criteria.list': READERS,
  'targeting_criteria.get': READERS,
  'targeting_criteria.create': WRITERS,
  'targeting_criteria.remove': WRITERS,
  'targeting_criteria.batch': WRITERS,
  'promoted_accounts.list': READERS,
  'promoted_accounts.get': READERS,
  'promoted_accounts.create': WRITERS,
  'promoted_accounts.remove': WRITERS,
  'tracking_tags.list': READERS,
  'tracking_tags.get': READERS,
  'tracking_tags.create': WRITERS,
  'tracking_tags.update': WRITERS,
  'tracking_tags.remove': WRITERS,
  'web_event_tags.list': READERS,
  'web_event_tags.get': READERS,
  'web_event_tags.create': WRITERS,
  'web_event_tags.update': WRITERS,
  'web_event_tags.remove': WRITERS,
  'conversions.send': WRITERS,
  'line_item_curated_categories.list': READERS,
  'line_item_curated_categories.get': READERS,
  'line_item_curated_categories.create': WRITERS,
  'line_item_curated_categories.update': WRITERS,
  'line_item_curated_categories.remove': WRITERS,
  'account_media.list': READERS,
  'account_media.get': READERS,
  'account_media.remove': CREATORS,
  'media_library.list': READERS,
  'media_library.get': READERS,
  'media_library.create': CREATORS,
  'media_library.update': CREATORS,
  'media_library.remove': CREATORS,
  'cards.list': READERS,
  'cards.get': READERS,
  'cards.create': CREATORS,
  'cards.update': CREATORS,
  'cards.remove': CREATORS,
  'cards_all.list': READERS,
  'cards_all.get': READERS,
  'poll_cards.list': READERS,
  'poll_cards.get': READERS,
  'poll_cards.create': CREATORS,
  'poll_cards.remove': CREATORS,
  'video_conversation_cards.list': READERS,
  'video_conversation_cards.get': READERS,
  'video_conversation_cards.create': CREATORS,
  'video_conversation_cards.update': CREATORS,
  'video_conversation_cards.remove': CREATORS,
  'image_conversation_cards.list': READERS,
  'image_conversation_cards.get': READERS,
  'image_conversation_cards.create': CREATORS,
  'image_conversation_cards.update': CREATORS,
  'image_conversation_cards.remove': CREATORS,
  'draft_posts.list': READERS,
  'draft_posts.get': READERS,
  'draft_posts.create': CREATORS,
  'draft_posts.update': CREATORS,
  'draft_posts.remove': CREATORS,
  'draft_posts.preview': CREATORS,
  'scheduled_posts.list': READERS,
  'scheduled_posts.get': READERS,
  'scheduled_posts.create': CREATORS,
  'scheduled_posts.update': CREATORS,
  'scheduled_posts.remove': CREATORS,
  'posts.create': CREATORS,
  'posts.list': READERS,
  'posts.name': CREATORS,
  'post_previews.list': CREATORS,
  'promoted_posts.list': READERS,
  'promoted_posts.get': READERS,
  'promoted_posts.create': WRITERS,
  'promoted_posts.remove': WRITERS,
  'scheduled_promoted_posts.list': READERS,
  'scheduled_promoted_posts.get': READERS,
  'scheduled_promoted_posts.create': WRITERS,
  'scheduled_promoted_posts.remove': WRITERS,
  'media_creatives.list': READERS,
  'media_creatives.get': READERS,
  'media_creatives.create': WRITERS,
  'media_creatives.remove': WRITERS,
  'preroll_call_to_actions.list': READERS,
  'preroll_call_to_actions.get': READERS,
  'preroll_call_to_actions.create': WRITERS,
  'preroll_call_to_actions.update': WRITERS,
  'preroll_call_to_actions.remove': WRITERS,
  'custom_audiences.list': AUDIENCE_READERS,
  'custom_audiences.get': AUDIENCE_READERS,
  'custom_audiences.create': AUDIENCE_MANAGERS,
  'custom_audiences.update': AUDIENCE_MANAGERS,
  'custom_audiences.remove': AUDIENCE_MANAGERS,
  'custom_audiences.batch': AUDIENCE_MANAGERS,
  'custom_audiences.users': AUDIENCE_MANAGERS,
  'custom_audiences.targeted': AUDIENCE_READERS,
  'custom_audience_permissions.list': AUDIENCE_MANAGERS,
  'custom_audience_permissions.create': AUDIENCE_MANAGERS,
  'custom_audience_permissions.remove': AUDIENCE_MANAGERS,
  'tailored_audiences.list': AUDIENCE_READERS,
  'tailored_audiences.get': AUDIENCE_READERS,
  'tailored_audience_permissions.list': AUDIENCE_MANAGERS,
  'tailored_audience_permissions.create': AUDIENCE_MANAGERS,
  'tailored_audience_permissions.remove': AUDIENCE_MANAGERS,
  'do_not_reach_lists.list': AUDIENCE_READERS,
  'do_not_reach_lists.create': AUDIENCE_MANAGERS,
  'do_not_reach_lists.remove': AUDIENCE_MANAGERS,
  'do_not_reach_lists.users': AUDIENCE_MANAGERS,
  'curated_categories.list': READERS,
  'curated_categories.get': READERS,
};

const named: readonly Operation[] = accountOperations.filter((each) => each.path.includes(':account_id'));

/** An account of user one on which user two has a role. */
async function accountWith(role: Role | undefined): Promise<TestAccount> {
  const setup = await openTestAccount(world);
  if (role === undefined) return setup;
  await world.service.store.write(async (tx) => {
    await tx.accountMembers.add({
      account_id: setup.account,
      user_id: world.keys.other_user_id!,
      role,
      // Without it no role may post for the user whom the account advertises.
      post_composer: 1,
    });
    tx.invalidate(`account:${setup.account}`);
  });
  return setup;
}

describe('who may do what on an account', () => {
  test('the table has every operation that names an account', () => {
    assert.deepEqual(Object.keys(ALLOWED).sort(), named.map((each) => each.id).sort());
  });

  test('every operation declares the roles of the table', () => {
    for (const { id, roles } of named) {
      // The statistics that this role may read are told from others by their parameters.
      const partly = ['stats.get', 'stats_jobs.create'].includes(id) ? ['ANALYST'] : [];
      assert.deepEqual([...roles!].sort(), [...ALLOWED[id]!, ...partly].sort(), id);
    }
  });

  const tried = sampled(
    ROLES.flatMap((role) => named.map((operation) => ({ role, operation }))),
    ({ role, operation }) => `${role} ${ALLOWED[operation.id]?.includes(role)} ${shapeOf(operation)}`,
    ({ role, operation }) => `${role} ${operation.id}`,
  );
  for (const role of ROLES) {
    test(role, async () => {
      const setup = await accountWith(role);
      const chosen = tried.filter((each) => each.role === role).map(({ operation }) => operation);
      // Deleting the account comes last.
      const order = chosen.sort((a, b) => Number(a.id === 'accounts.remove') - Number(b.id === 'accounts.remove'));
      for (const operation of order) {
        const reply = await send(world.other, await goodCall(setup, operation, world.keys.other_user_id));
        if (ALLOWED[operation.id]!.includes(role)) {
          assert.equal(reply.status, 200, `${operation.id}: ${reply.text}`);
          continue;
        }
        assert.equal(reply.status, 403, `${operation.id}: ${reply.text}`);
        assert.deepEqual(reply.body, {
          errors: [
            {
              code: 'ACTION_NOT_ALLOWED',
              message: `The current user is not allowed to perform this action on account ${setup.account}`,
            },
          ],
          request: { params: reply.body.request.params },
        });
        assert.equal(reply.body.request.params.account_id, setup.account);
      }
    });
  }

  test('without a role the account is not accessible, for any operation', async () => {
    const setup = await accountWith(undefined);
    for (const operation of sampledOperations(named)) {
      const { method, path, sent } = await goodCall(setup, operation);
      for (const [account, at] of [
        [setup.account, path],
        ['zz9zz9', path.replace(setup.account, 'zz9zz9')],
      ] as const) {
        const reply = await world.other.call(method, at, sent);
        assert.equal(reply.status, 403, operation.id);
        assert.deepEqual(reply.body.errors, [
          {
            code: 'ACCOUNT_NOT_FOUND',
            message: `Account ${account} was not found or is not accessible by the current user`,
            parameter: 'account_id',
            value: account,
          },
        ]);
      }
    }
  });

  test('a refused write changes nothing', async () => {
    const setup = await accountWith('CAMPAIGN_ANALYST');
    const path = `/12/accounts/${setup.account}`;
    const before = (await world.sandbox.call('GET', path)).text;
    await world.other.call('PUT', path, { params: { name: 'Mine now' } });
    await world.other.call('DELETE', path);
    assert.equal((await world.sandbox.call('GET', path)).text, before);
  });

  test('a deleted account is not found by users with a role on it, and not accessible for others', async () => {
    for (const role of [...ROLES, undefined]) {
      const setup = await accountWith(role);
      const calls: [Operation, Awaited<ReturnType<typeof goodCall>>][] = [];
      // One after the other: of some things an account has one.
      for (const each of sampledOperations(named)) calls.push([each, await goodCall(setup, each)]);
      assert.equal((await world.sandbox.call('DELETE', `/12/accounts/${setup.account}`)).status, 200);
      for (const [operation, call] of calls) {
        const reply = await send(world.other, call);
        const expected = role === undefined ? [403, 'ACCOUNT_NOT_FOUND'] : [404, 'NOT_FOUND'];
        assert.deepEqual([reply.status, reply.body.errors[0].code], expected, `${role} ${operation.id}`);
        assert.equal((await send(world.sandbox, call)).status, 404, operation.id);
      }
      const shown = await world.other.call('GET', `/12/accounts/${setup.account}?with_deleted=true`);
      assert.equal(shown.status, role === undefined ? 403 : 200);
    }
  });

  test('a role that is granted or revoked applies from the next request on', async () => {
    const setup = await accountWith(undefined);
    const path = fill('/12/accounts/:account_id/campaigns', { account_id: setup.account });
    assert.equal((await world.other.call('GET', path)).status, 403);
    await world.service.store.write(async (tx) => {
      const user_id = world.keys.other_user_id!;
      await tx.accountMembers.add({ account_id: setup.account, user_id, role: 'AD_MANAGER', post_composer: 0 });
      tx.invalidate(`account:${setup.account}`);
    });
    assert.equal((await world.other.call('GET', path)).status, 200);
  });
});
