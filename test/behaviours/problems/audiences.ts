import type { Reply } from '../../rig/client.ts';
import { type Case, home, invalid, own, world } from './setting.ts';

let made = '';

/** An audience of the account, always the same. */
export async function audience(): Promise<string> {
  if (made === '') made = (await own('POST', '/custom_audiences', { name: 'Given' })).body.data.id;
  return made;
}

/** Problems of audiences, of those to whom they are granted, and of lists. */
export const audienceProblems: readonly Case[] = [
  {
    name: 'CUSTOM_AUDIENCE_NOT_FOUND',
    input: 'an audience that there is not',
    send: () => own('DELETE', '/custom_audiences/8zz1q'),
    status: 404,
    errors: [
      {
        code: 'CUSTOM_AUDIENCE_NOT_FOUND',
        message: 'Custom audience 8zz1q was not found',
        parameter: 'custom_audience_id',
        value: '8zz1q',
      },
    ],
  },
  {
    name: 'AUDIENCE_NAME_TAKEN',
    input: 'a name that another audience has, but for blanks around it',
    send: async () => {
      await audience();
      return own('POST', '/custom_audiences', { name: ' Given ' });
    },
    status: 400,
    errors: [invalid('name', 'Audience name already in use')],
  },
  {
    name: 'GRANTED_TO_ITSELF',
    input: 'an audience granted to its owner',
    send: async () =>
      own('POST', `/custom_audiences/${await audience()}/permissions`, {
        granted_account_id: home.account,
        permission_level: 'READ_ONLY',
      }),
    status: 400,
    errors: [invalid('granted_account_id', 'Expected another account than the owner for granted_account_id')],
  },
  {
    name: 'LIST_EXISTS',
    input: 'a second list',
    send: async () => {
      await own('POST', '/do_not_reach_lists');
      return own('POST', '/do_not_reach_lists');
    },
    status: 400,
    errors: () => [{ code: 'INVALID_PARAMETER', message: `Account ${home.account} has a do-not-reach list already` }],
  },
  {
    name: 'TOO_MANY_OPERATIONS',
    input: 'more than 2500 operations',
    send: async () => upload(Array.from({ length: 2501 }, () => ({ operation_type: 'Update' }))),
    status: 400,
    errors: [invalid('operations', 'Expected at most 2500 operations, got 2501')],
  },
  {
    name: 'PEOPLE_TOO_LARGE',
    input: 'more than 5,000,000 bytes',
    send: async () => upload(['x'.repeat(5_000_001)]),
    status: 400,
    errors: [{ code: 'REQUEST_TOO_COMPLEX', message: 'Expected at most 5000000 bytes' }],
  },
];

async function upload(json: unknown): Promise<Reply> {
  const path = `/12/accounts/${home.account}/custom_audiences/${await audience()}/users`;
  return world.sandbox.call('POST', path, { json });
}
