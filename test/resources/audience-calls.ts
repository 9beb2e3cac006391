import assert from 'node:assert/strict';
import type { Client, Reply } from '../rig/client.ts';
import { openAccount, type World } from '../rig/world.ts';
import { audienceOn, persons, update } from './people-calls.ts';

/** Makes an audience that can be targeted, where one person is enough for that; the answer is its id. */
export async function largeAudience(world: World, account: string): Promise<string> {
  const kept = await audienceOn(world.sandbox, account);
  const reply = await kept.upload([update(persons(0, 1))]);
  assert.equal(reply.status, 200, reply.text);
  await world.service.jobs.runDue();
  assert.equal((await kept.show()).targetable, true);
  return kept.id;
}

/** An account that has audiences, and what is called on them. */
export interface Owner {
  readonly account: string;
  readonly path: string;
  /** Calls something of the account. */
  call(method: string, path: string, params?: Record<string, string>): Promise<Reply>;
  /** Makes an audience; the answer is its id. */
  audience(name: string): Promise<string>;
  /** Sends a batch of audiences. */
  batch(json: unknown): Promise<Reply>;
  /** Grants an audience to another account. */
  grant(audience: string, to: Owner, permission_level?: string): Promise<Reply>;
}

/** Opens a sandbox account that may grant audiences to whomever it wants. */
export async function openOwner(world: World, client: Client = world.sandbox): Promise<Owner> {
  const { account, path } = await openAccount(client);
  await world.service.store.write((tx) => tx.accountMembers.addFeatures(account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']));
  const call: Owner['call'] = (method, end, params = {}) => client.call(method, path + end, { params });
  return {
    account,
    path,
    call,
    async audience(name) {
      const made = await call('POST', '/custom_audiences', { name });
      assert.equal(made.status, 200, made.text);
      return made.body.data.id;
    },
    batch: (json) => client.call('POST', `/12/batch/accounts/${account}/custom_audiences`, { json }),
    grant: (audience, to, permission_level = 'READ_ONLY') =>
      call('POST', `/custom_audiences/${audience}/permissions`, { granted_account_id: to.account, permission_level }),
  };
}

/** Status and the codes of what is wrong, with what each is about. */
export function refusal({ status, body }: Reply): string {
  const errors = (body.errors ?? []) as { code: string; parameter?: string; attribute?: string }[];
  return [
    status,
    ...errors.map(({ code, parameter, attribute }) => `${code} ${parameter ?? attribute ?? ''}`.trim()),
  ].join(' ');
}

/** What is wrong with each item of a batch. */
export function itemRefusals({ body }: Reply): string[] {
  return body.operation_errors.map((errors: { code: string; parameter?: string }[]) =>
    errors.map(({ code, parameter = '' }) => `${code} ${parameter}`.trim()).join('; '),
  );
}
