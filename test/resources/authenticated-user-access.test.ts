import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Role } from '../../src/contract/declare/roles.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

describe('authenticated_user_access', () => {
  const input: [Role, 0 | 1, string[]][] = [
    ['ACCOUNT_ADMIN', 1, ['ACCOUNT_ADMIN', 'POST_COMPOSER']],
    ['ACCOUNT_ADMIN', 0, ['ACCOUNT_ADMIN']],
    ['AD_MANAGER', 1, ['AD_MANAGER', 'POST_COMPOSER']],
    ['CREATIVE_MANAGER', 1, ['CREATIVE_MANAGER', 'POST_COMPOSER']],
    ['CAMPAIGN_ANALYST', 1, ['CAMPAIGN_ANALYST']],
    ['ANALYST', 1, ['ANALYST']],
    ['PARTNER_AUDIENCE_MANAGER', 1, ['PARTNER_AUDIENCE_MANAGER']],
  ];
  for (const [role, post_composer, permissions] of input) {
    test(`${role} ${post_composer ? 'with' : 'without'} POST_COMPOSER`, async () => {
      const { account } = await openAccount(world.sandbox);
      const user_id = world.keys.other_user_id!;
      await world.service.store.write(async (tx) => {
        await tx.accountMembers.add({ account_id: account, user_id, role, post_composer });
        tx.invalidate(`account:${account}`);
      });
      const reply = await world.other.call('GET', `/12/accounts/${account}/authenticated_user_access`);
      assert.deepEqual(reply.body, { request: { params: { account_id: account } }, data: { user_id, permissions } });
    });
  }
});
