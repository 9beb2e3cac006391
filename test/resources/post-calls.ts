import assert from 'node:assert/strict';
import type { Client, Reply } from '../rig/client.ts';
import type { World } from '../rig/world.ts';
import { type TargetingFixture, openFixture as targetingPlace } from './targeting-calls.ts';

export { good } from './targeting-calls.ts';

/** What may be sent. */
export type Params = Readonly<Record<string, string | number | boolean>>;

/** An account to post on. */
export interface PostFixture extends TargetingFixture {
  readonly account: string;
  get(end: string, params?: Params): Promise<Reply>;
  put(end: string, params?: Params): Promise<Reply>;
  remove(end: string): Promise<Reply>;
  /** Makes somebody a user of the account. */
  join(user: string, role: 'CREATIVE_MANAGER' | 'AD_MANAGER', composer: 0 | 1): Promise<void>;
  /** Lets the account promote what a user has reposted. */
  promotes(user: string): Promise<void>;
  /** The id of a new published post. */
  post_(params?: Params, client?: Client): Promise<string>;
}

let promotables = 0;

/** A sandbox account of user one. */
export async function openFixture(world: World): Promise<PostFixture> {
  const place = await targetingPlace(world);
  const account = place.path.split('/').at(-1)!;
  const { store, services } = world.service;
  const call = (method: string) => (end: string, params?: Params) =>
    world.sandbox.call(method, `${place.path}/${end}`, params ? { params } : {});
  return {
    ...place,
    account,
    get: call('GET'),
    put: call('PUT'),
    remove: (end) => call('DELETE')(end),
    async join(user_id, role, post_composer) {
      await store.write(async (tx) => {
        await tx.accountMembers.put({ account_id: account, user_id, role, post_composer });
        tx.invalidate(`account:${account}`);
      });
    },
    async promotes(user) {
      promotables += 1;
      const row = { id: `pu${promotables}`, account, user, type: 'REPOSTS_ONLY', now: '2026-03-01T00:00:00Z' } as const;
      const { newPromotableUser, promotableUsers } = await import('../../src/features/ads/promotable-users.ts');
      await services.store.write((tx) => tx.records.insert(promotableUsers, newPromotableUser(row)));
    },
    async post_(params = { text: 'Sample' }, client = world.sandbox) {
      const made = await client.call('POST', `${place.path}/post`, { params });
      assert.equal(made.status, 200, made.text);
      return made.body.data.id;
    },
  };
}

/** What a reply says is wrong: codes with what they are about. */
export function errors(reply: Reply): string[] {
  return (reply.body.errors ?? []).map((error: { code: string; parameter?: string }) =>
    `${error.code} ${error.parameter ?? ''}`.trim(),
  );
}
