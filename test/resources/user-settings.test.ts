// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Role } from '../../src/contract/declare/roles.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

/** An account of user one, where user two has a role. */
async function shared(role: Role): Promise<{ path: string; own: string; others: string; account: string }> {
  const { path, account } = await openAccount(world.sandbox);
  const { user_id, other_user_id } = world.keys;
  await world.service.store.write(async (tx) => {
    await tx.accountMembers.add({ account_id: account, user_id: other_user_id!, role, post_composer: 0 });
    tx.invalidate(`account:${account}`);
  });
  return { path: `${path}/user_settings`, own: user_id!, others: other_user_id!, account };
}

const UNSET = {
  notification_email: null,
  contact_phone: null,
  contact_phone_extension: null,
  subscribed_email_types: [],
};

describe('user settings', () => {
  test('are unset until updated, and separate for each user', async () => {
    const { path, own, others, account } = await shared('ANALYST');
    const before = await world.sandbox.call('GET', `${path}/${own}`);
    assert.deepEqual(before.body, {
      data: { user_id: own, ...UNSET },
      request: { params: { account_id: account, user_id: own } },
    });
    const params = {
      notification_email: 'ada@mail.test',
      contact_phone: '+41 31 555 01 28',
      contact_phone_extension: '12',
      subscribed_email_types: 'PERFORMANCE_IMPROVEMENT,ACCOUNT_PERFORMANCE',
    };
    const types = ['PERFORMANCE_IMPROVEMENT', 'ACCOUNT_PERFORMANCE'];
    const written = await world.sandbox.call('PUT', `${path}/${own}`, { params });
    assert.deepEqual(written.body.data, { user_id: own, ...params, subscribed_email_types: types });
    assert.deepEqual((await world.sandbox.call('GET', `${path}/${own}`)).body.data, written.body.data);
    assert.deepEqual((await world.other.call('GET', `${path}/${others}`)).body.data, { user_id: others, ...UNSET });
    const back = await world.sandbox.call('PUT', `${path}/${own}`, { json: written.body.data });
    assert.deepEqual(back.body.data, written.body.data);
    const partly = await world.sandbox.call('PUT', `${path}/${own}`, { params: { contact_phone_extension: '' } });
    assert.deepEqual(partly.body.data, { ...written.body.data, contact_phone_extension: null });
    const none = await world.sandbox.call('PUT', `${path}/${own}`, { params: { subscribed_email_types: '' } });
    assert.deepEqual(none.body.data.subscribed_email_types, []);
  });

  const refusals: [
    who: 'sandbox' | 'other',
    role: Role,
    method: string,
    user: 'own' | 'others' | string,
    status: number,
  ][] = [
    ['other', 'ACCOUNT_ADMIN', 'GET', 'own', 200],
    ['sandbox', 'ANALYST', 'GET', 'others', 200],
    ['other', 'AD_MANAGER', 'GET', 'own', 403],
    ['other', 'PARTNER_AUDIENCE_MANAGER', 'GET', 'own', 403],
    ['other', 'ACCOUNT_ADMIN', 'PUT', 'own', 403],
    ['sandbox', 'ANALYST', 'PUT', 'others', 403],
    ['other', 'AD_MANAGER', 'GET', '999', 403],
    ['sandbox', 'ANALYST', 'GET', '999', 404],
    ['sandbox', 'ANALYST', 'PUT', '999', 403],
    ['sandbox', 'ANALYST', 'PUT', 'a_b', 404],
  ];
  for (const [who, role, method, user, status] of refusals) {
    const actor = who === 'sandbox' ? 'ACCOUNT_ADMIN' : role;
    test(`${actor} ${method}s those of ${user} (user one is own): ${status}`, async () => {
      const { path, own, others, account } = await shared(role);
      const target = user === 'own' ? own : user === 'others' ? others : user;
      const reply = await world[who].call(method, `${path}/${target}`);
      assert.equal(reply.status, status, reply.text);
      const errors: Record<number, object[]> = {
        403: [
          {
            code: 'ACTION_NOT_ALLOWED',
            message: `The current user is not allowed to perform this action on account ${account}`,
          },
        ],
        404: [
          target === 'a_b'
            ? {
                code: 'INVALID_ID_ILLEGAL_CHARACTERS',
                message: 'User id a_b has illegal characters',
                parameter: 'user_id',
                value: 'a_b',
              }
            : { code: 'NOT_FOUND', message: 'User 999 was not found', parameter: 'user_id', value: '999' },
        ],
      };
      assert.deepEqual(reply.body.errors, errors[status]);
    });
  }

  test('invalid values are rejected', async () => {
    const { path, own } = await shared('ANALYST');
    const params = { subscribed_email_types: 'ACCOUNT_PERFORMANCE,SPAM', notification_email: 'x'.repeat(255) };
    const other = await world.sandbox.call('PUT', `${path}/${own}`, { params: { notification_email: 'nope' } });
    assert.deepEqual(other.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected an email address, got "nope" for notification_email',
        parameter: 'notification_email',
      },
    ]);
    const reply = await world.sandbox.call('PUT', `${path}/${own}`, { params });
    assert.deepEqual(
      reply.body.errors.map((error: { message: string }) => error.message),
      [
        'Expected a maximum length of 254, got 255 for notification_email',
        'Expected a value in ACCOUNT_PERFORMANCE, PERFORMANCE_IMPROVEMENT, got "SPAM" for subscribed_email_types',
      ],
    );
  });
});
