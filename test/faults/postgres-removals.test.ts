import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../../src/contract/store/logins.ts';
import type { WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
  // What removes old rows by itself has done so, and is not due again.
  await world.service.jobs.runDue();
});
after(() => world.close());

const blank = { failures: 1, since_s: 0, locked_until_s: 0, locks: 0, ends_s: 100 };
const session: Session = {
  ...{ id_hash: 'used meanwhile', user_id: null, form_token: 'token', login_for: null, browser: '', address: '' },
  ...{ created_at: '2026-01-01T00:00:00Z', last_seen_at: '2026-01-01T00:00:00Z', authenticated_at: null },
};
const delivery: WebhookDelivery = {
  ...{
    webhook_id: '1',
    message_id: 'sent again meanwhile',
    position: 1,
    subscription_id: '1',
    event_type: 'x',
    body: '',
  },
  ...{ state: 'failed', tries: [], tries_before: 0, next_at: null, created_at: '2026-01-01T00:00:00Z' },
};

interface Case {
  readonly row: string;
  readonly add: (tx: WriteTransaction) => Promise<unknown>;
  readonly change: (tx: WriteTransaction) => Promise<unknown>;
  readonly remove: (tx: WriteTransaction) => Promise<number>;
  readonly find: (tx: ReadTransaction & WriteTransaction) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  {
    row: 'a tally of failed logins that counts another one',
    add: (tx) => tx.loginTallies.lock(['counted meanwhile'], blank),
    change: (tx) => tx.loginTallies.put({ ...blank, id: 'counted meanwhile', failures: 2, ends_s: 1000 }),
    remove: (tx) => tx.removeOldest('login_tallies', 501, 10),
    find: async (tx) => ((await tx.loginTallies.count()) === 1 ? true : undefined),
  },
  {
    row: 'an idle session that is used',
    add: (tx) => tx.sessions.add(session),
    change: (tx) => tx.sessions.change(session.id_hash, { last_seen_at: '2026-01-03T00:00:00Z' }),
    remove: (tx) => tx.removeOldest('sessions', '2026-01-02T00:00:00Z', 10),
    find: (tx) => tx.sessions.find(session.id_hash),
  },
  {
    row: 'an old delivery that is sent again',
    add: (tx) => tx.webhookDeliveries.putAll([delivery]),
    change: (tx) => tx.webhookDeliveries.putAll([{ ...delivery, state: 'pending', next_at: '2026-01-02T00:00:00Z' }]),
    remove: (tx) => tx.webhookDeliveries.removeUpTo(1, 10),
    find: async (tx) => (await tx.webhookDeliveries.listMessagesAfter(['1'], 0))[0],
  },
];

describe('a row that changes while PostgreSQL removes old ones', () => {
  for (const { row, add, change, remove, find } of CASES) {
    test(`${row} stays`, async () => {
      const { store } = world.service;
      await store.write(async (tx) => void (await add(tx)));
      const changed = Promise.withResolvers<void>();
      const changing = store.write(async (tx) => {
        await change(tx);
        changed.resolve();
        // Long enough for the removal to find the row as it was and to wait for its lock.
        await wait(500);
      });
      await changed.promise;
      const removed = await store.write((tx) => remove(tx));
      await changing;
      assert.equal(removed, 0);
      assert.ok(await store.write((tx) => find(tx as ReadTransaction & WriteTransaction)));
    });
  }
});
