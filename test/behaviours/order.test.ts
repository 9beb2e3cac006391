import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
let account: string;
let instrument: string;
before(async () => {
  world = await openWorld({ flags: { active_campaigns_max: 1 } });
  ({ path, account, instrument } = await openAccount(world.sandbox));
  await world.service.store.write(async (tx) => {
    const user_id = world.keys.other_user_id!;
    await tx.accountMembers.add({ account_id: account, user_id, role: 'ANALYST', post_composer: 0 });
    tx.invalidate(`account:${account}`);
  });
});
after(() => world.close());

const over = { daily_budget_amount_local_micro: 2_000_000, total_budget_amount_local_micro: 1_000_000 };
const odd = { daily_budget_amount_local_micro: 1_500, total_budget_amount_local_micro: 1_700 };

/** Requests that fail in two ways: the check that comes first answers. @source campaigns 2.1 */
const input: [of: string, send: () => Promise<Reply | Response>, status: number, codes: string[]][] = [
  [
    'the path before the caller',
    () => fetch(`${world.service.sandboxUrl}/12/nothing`, { headers: { authorization: 'OAuth nonsense' } }),
    404,
    ['ROUTE_NOT_FOUND'],
  ],
  [
    'the method before the caller',
    () => fetch(`${world.service.sandboxUrl}/12/accounts`, { method: 'PUT' }),
    405,
    ['METHOD_NOT_ALLOWED'],
  ],
  [
    'the caller before the account',
    () => fetch(`${world.service.sandboxUrl}/12/accounts/zz9zz9?with_deleted=perhaps`),
    401,
    ['UNAUTHORIZED_ACCESS'],
  ],
  [
    'the account before the parameters',
    () => world.other.call('GET', '/12/accounts/zz9zz9/campaigns?count=x'),
    403,
    ['ACCOUNT_NOT_FOUND'],
  ],
  [
    'the role before the parameters',
    () => world.other.call('GET', `${path}/campaigns?count=x`),
    403,
    ['ACTION_NOT_ALLOWED'],
  ],
  [
    'the role before the entity',
    () => world.other.call('DELETE', `${path}/campaigns/zz9`),
    403,
    ['ACTION_NOT_ALLOWED'],
  ],
  [
    'the role before the body of a batch',
    () => world.other.call('POST', `/12/batch/accounts/${account}/campaigns`, { json: 'nonsense' }),
    403,
    ['ACTION_NOT_ALLOWED'],
  ],
  [
    'the parameters before the entity',
    () => world.sandbox.call('PUT', `${path}/campaigns/zz9`, { params: { entity_status: 'RUN', name: '' } }),
    400,
    ['INVALID_PARAMETER', 'INVALID_PARAMETER'],
  ],
  [
    'the parameters before the shape of the id',
    () => world.sandbox.call('GET', `${path}/campaigns/a_b?with_deleted=x`),
    400,
    ['INVALID_PARAMETER'],
  ],
  [
    'the parameters before the rules',
    () => world.sandbox.call('POST', `${path}/campaigns`, { params: { ...over, funding_instrument_id: instrument } }),
    400,
    ['MISSING_PARAMETER'],
  ],
  [
    'the entity before the rules',
    () => world.sandbox.call('PUT', `${path}/campaigns/zz9`, { params: over }),
    404,
    ['CAMPAIGN_NOT_FOUND'],
  ],
  [
    'what is pointed to before the rules',
    () =>
      world.sandbox.call('POST', `${path}/campaigns`, { params: { ...over, name: 'A', funding_instrument_id: 'zz9' } }),
    404,
    ['FUNDING_INSTRUMENT_NOT_FOUND'],
  ],
  [
    'the rules, all of them, before the limits',
    async () => {
      const whole = { name: 'A', funding_instrument_id: instrument };
      await world.sandbox.call('POST', `${path}/campaigns`, { params: whole });
      return world.sandbox.call('POST', `${path}/campaigns`, {
        params: { ...whole, ...odd, daily_budget_amount_local_micro: 1_900 },
      });
    },
    400,
    ['INVALID', 'INVALID_DENOMINATION', 'INVALID_DENOMINATION'],
  ],
  [
    'the limits last',
    () => world.sandbox.call('POST', `${path}/campaigns`, { params: { name: 'B', funding_instrument_id: instrument } }),
    400,
    ['TOO_MANY_CAMPAIGNS'],
  ],
];

describe('the order of checks', () => {
  for (const [of, send, status, codes] of input) {
    test(of, async () => {
      const reply = await send();
      const body = reply instanceof Response ? ((await reply.json()) as Reply['body']) : reply.body;
      assert.equal(reply.status, status);
      assert.deepEqual(
        body.errors.map((error: { code: string }) => error.code),
        codes,
      );
    });
  }
});
