import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { asUser, happen, newPerson, type Person, SUBSCRIPTIONS, sendForm } from '../rig/activity.ts';
import { isInBackground } from '../rig/background-statements.ts';
import type { Reply } from '../rig/client.ts';
import { openWorldOver, type World } from '../rig/world.ts';

/** Fails one statement of a call: the n-th from when it is set. */
let fuse = 0;
let failed = '';
/** How often a statement of something else may happen to be the n-th. */
const STRAYS_MAX = 5;
function probe(sql: string): void {
  if (isInBackground(sql)) return;
  if (fuse === 0 || --fuse > 0) return;
  failed = sql;
  throw new Error('the disk of rack 7 is on fire');
}

let world: World;
let ada: Person;
let ben: Person;
before(async () => {
  world = await openWorldOver((driver) => driver, { probe, flags: { rate_limits: 'off' } });
  // What is due after the start runs now, and not during a call.
  await world.service.jobs.runDue();
  [ada, ben] = [await newPerson(world), await newPerson(world)];
});
after(() => world.close());

let count = 0;
function fresh(): number {
  count += 1;
  return count;
}

const calls: readonly { what: string; atLeast: number; send(): Promise<Reply> }[] = [
  {
    what: 'a message, with its two events',
    atLeast: 4,
    send: () => asUser(world, ada.keys).call('POST', `/2/dm_conversations/with/${ben.user}/messages`, { text: 'x' }),
  },
  {
    what: 'a change of a profile, with its event',
    atLeast: 4,
    send: () => sendForm(world, ada.keys, '/1.1/account/update_profile', { description: `bio ${fresh()}` }),
  },
  {
    what: 'a subscription',
    atLeast: 5,
    send: () => ben.app.call('POST', SUBSCRIPTIONS, { event_type: 'spaces.end', filter: { keyword: `k${fresh()}` } }),
  },
  {
    what: 'an event of an operator',
    atLeast: 2,
    send: () => happen(world, { event_type: 'spaces.end', user_id: ada.user, payload: {} }),
  },
];

describe('a call whose n-th statement fails', () => {
  for (const { what, atLeast, send } of calls) {
    test(`leaves nothing behind, whichever n: ${what}`, async () => {
      await send();
      let untouched = await everything();
      let failures = 0;
      for (let strays = 0; ; ) {
        fuse = failures + 1;
        const reply = await send();
        const isUnspent = fuse > 0;
        fuse = 0;
        if (reply.status < 300 && isUnspent) break;
        if (reply.status < 300) {
          strays += 1;
          assert.ok(strays <= STRAYS_MAX, `succeeds although a statement fails: ${failed}`);
          untouched = await everything();
          continue;
        }
        failures += 1;
        assert.equal(reply.status, 500, reply.text);
        assert.equal(await everything(), untouched, `after statement ${failures} failed`);
      }
      assert.ok(failures >= atLeast, `only ${failures} statements`);
      assert.notEqual(await everything(), untouched, 'the call that succeeds changes something');
    });
  }
});

/** Every row that these calls write, as text. */
function everything(): Promise<string> {
  return world.service.store.write(async (tx) =>
    JSON.stringify([
      await tx.events.assignPositions(),
      await tx.events.list({ after: 0, limit: 1000 }),
      await tx.subscriptions.listAll('', 1000),
      await tx.credentials.findUser(ada.user),
    ]),
  );
}
