import assert from 'node:assert/strict';
import { openAccount } from '../../rig/world.ts';
import { as, type Case, home, own, sandbox, world } from './setting.ts';

/** Who may see and do what, and what is not there. */
export const access: Case[] = [
  {
    name: 'VERSION_UNKNOWN',
    input: 'a version that is over',
    send: () => sandbox({ method: 'GET', target: '/11/accounts' }),
    status: 404,
    errors: [
      {
        code: 'ROUTE_NOT_FOUND',
        message: 'The requested resource could not be found; the current version is 12',
      },
    ],
  },
  {
    name: 'READ_ONLY_TOKEN',
    input: 'a write with a token of level read',
    send: () => as({ tokenLevel: 'read' }, { method: 'POST', target: '/12/accounts' }),
    status: 403,
    errors: [
      {
        code: 'INSUFFICIENT_USER_AUTHORIZED_PERMISSION',
        message: 'The user has not authorized the client application with sufficient permission',
      },
    ],
  },
  {
    name: 'READ_ONLY_APPLICATION',
    input: 'a write through an application of level read',
    send: () => as({ tokenLevel: 'read', applicationLevel: 'read' }, { method: 'POST', target: '/12/accounts' }),
    status: 403,
    errors: [{ code: 'READONLY_CLIENT_APPLICATION', message: 'The client application only has read access' }],
  },
  {
    name: 'ACCOUNT_NOT_ACCESSIBLE',
    input: 'an account that there is not',
    send: () => world.sandbox.call('GET', '/12/accounts/zz9zz9/campaigns'),
    status: 403,
    errors: [
      {
        code: 'ACCOUNT_NOT_FOUND',
        message: 'Account zz9zz9 was not found or is not accessible by the current user',
        parameter: 'account_id',
        value: 'zz9zz9',
      },
    ],
  },
  {
    name: 'ACTION_NOT_ALLOWED',
    input: 'a role that may not',
    send: () => as({ roles: { [home.account]: 'ANALYST' } }, { method: 'GET', target: `${home.path}/campaigns` }),
    status: 403,
    errors: () => [
      {
        code: 'ACTION_NOT_ALLOWED',
        message: `The current user is not allowed to perform this action on account ${home.account}`,
      },
    ],
  },
  {
    name: 'ID_ILLEGAL',
    input: 'a campaign id that no id can be',
    send: () => own('GET', '/campaigns/a-b'),
    status: 404,
    errors: [
      {
        code: 'INVALID_ID_ILLEGAL_CHARACTERS',
        message: 'Campaign id a-b has illegal characters',
        parameter: 'campaign_id',
        value: 'a-b',
      },
    ],
  },
  {
    name: 'CAMPAIGN_NOT_FOUND',
    input: 'a campaign that there is not',
    send: () => own('GET', '/campaigns/8zz1q'),
    status: 404,
    errors: [
      {
        code: 'CAMPAIGN_NOT_FOUND',
        message: 'Campaign 8zz1q was not found',
        parameter: 'campaign_id',
        value: '8zz1q',
      },
    ],
  },
  {
    name: 'PROMOTABLE_USER_NOT_FOUND',
    input: 'a promotable user that there is not',
    send: () => own('GET', '/promotable_users/l0zz9'),
    status: 404,
    errors: [
      {
        code: 'PROMOTABLE_USER_NOT_FOUND',
        message: 'Promotable user l0zz9 was not found',
        parameter: 'promotable_user_id',
        value: 'l0zz9',
      },
    ],
  },
  {
    name: 'NOT_FOUND',
    input: 'a deleted account',
    async send() {
      const gone = await openAccount(world.sandbox);
      await world.sandbox.call('DELETE', gone.path);
      const reply = await world.sandbox.call('GET', gone.path);
      assert.equal(reply.body.errors[0].value, gone.account);
      reply.body.errors[0].value = 'gone';
      reply.body.errors[0].message = reply.body.errors[0].message.replace(gone.account, 'gone');
      return reply;
    },
    status: 404,
    errors: [{ code: 'NOT_FOUND', message: 'Account gone was not found', parameter: 'account_id', value: 'gone' }],
  },
];
