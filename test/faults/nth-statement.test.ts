import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Driver } from '../../src/storage/core/driver.ts';
import { isInBackground } from '../rig/background-statements.ts';
import type { Client, Reply } from '../rig/client.ts';
import { openAccount, openWorldOver, type World } from '../rig/world.ts';

const SECRET = 'the disk of rack 7 is on fire';

/** Fails one statement: the n-th from when it is set. Zero: none. */
let fuse = 0;
function probe(sql: string): void {
  if (isInBackground(sql)) return;
  if (fuse > 0 && --fuse === 0) throw new Error(SECRET);
}

let driver: Driver;
let world: World;
let home: { path: string; instrument: string };

before(async () => {
  const keep = (opened: Driver): Driver => {
    driver = opened;
    return driver;
  };
  world = await openWorldOver(keep, { probe, flags: { rate_limits: 'off' } });
  // What is due after the start runs now, and not during a call.
  await world.service.jobs.runDue();
  home = await openAccount(world.sandbox);
});
after(() => world.close());

/** The calls, and how many statements each has at least: fewer would mean that the fuse missed most of them. */
const calls: readonly { what: string; atLeast: number; send(client: Client): Promise<Reply> }[] = [
  {
    what: 'a create',
    atLeast: 3,
    send: (client) => client.call('POST', `${home.path}/campaigns`, { params: campaign('made') }),
  },
  {
    what: 'a create within the limit of active campaigns',
    atLeast: 4,
    send: (client) =>
      client.call('POST', `${home.path}/campaigns`, { params: { ...campaign('made'), entity_status: 'ACTIVE' } }),
  },
  {
    what: 'an update',
    atLeast: 3,
    send: async (client) =>
      client.call('PUT', `${home.path}/campaigns/${kept.changed}`, {
        params: { name: 'changed', daily_budget_amount_local_micro: 5_000_000 },
      }),
  },
  {
    what: 'a delete',
    atLeast: 3,
    send: (client) => client.call('DELETE', `${home.path}/campaigns/${kept.deleted}`),
  },
  {
    what: 'a batch of five',
    atLeast: 10,
    send: (client) =>
      client.call('POST', `/12/batch${home.path.slice('/12'.length)}/campaigns`, {
        json: [
          { operation_type: 'Create', params: campaign('first') },
          { operation_type: 'Update', params: { campaign_id: kept.changed, name: 'second' } },
          { operation_type: 'Delete', params: { campaign_id: kept.deleted } },
          { operation_type: 'Create', params: { ...campaign('fourth'), entity_status: 'ACTIVE' } },
          { operation_type: 'Update', params: { campaign_id: kept.changed, name: 'fifth', entity_status: 'ACTIVE' } },
        ],
      }),
  },
  { what: 'a new account', atLeast: 3, send: (client) => client.call('POST', '/12/accounts') },
  {
    what: 'a change of features',
    atLeast: 2,
    send: (client) => client.call('POST', `${home.path}/features`, { params: { feature_keys: 'CITY_TARGETING' } }),
  },
];

/** Campaigns that calls change and delete; new ones for each call. */
let kept = { changed: '', deleted: '' };

describe('a call whose n-th statement fails', () => {
  for (const { what, atLeast, send } of calls) {
    test(`leaves nothing behind, whichever n: ${what}`, async () => {
      kept = { changed: await create('to change'), deleted: await create('to delete') };
      const untouched = await everything();
      let failures = 0;
      let reply = await fused(send, 1);
      while (reply.status !== 200) {
        failures += 1;
        assert.equal(reply.status, 500, reply.text);
        assert.deepEqual(reply.body.errors, [{ code: 'INTERNAL_ERROR', message: 'Internal error' }]);
        assert.ok(!/rack 7|select|insert|update|statement/i.test(reply.text.replace(/"request":.*/, '')), reply.text);
        assert.equal(await everything(), untouched, `after statement ${failures} failed`);
        reply = await fused(send, failures + 1);
      }
      assert.ok(failures >= atLeast, `only ${failures} statements`);
      assert.notEqual(await everything(), untouched, 'the call that succeeds changes something');
    });
  }

  test('fails alone, whichever n: the calls in the same group commit are stored', async () => {
    let isBurnt = true;
    let n = 0;
    for (; isBurnt; n++) {
      const before = await names();
      const wanted = Array.from({ length: NEIGHBOURS }, (_, number) => `neighbour ${n} ${number}`);
      fuse = n + 1;
      const replies = await Promise.all(
        wanted.map((name) => world.sandbox.call('POST', `${home.path}/campaigns`, { params: campaign(name) })),
      );
      isBurnt = fuse === 0;
      fuse = 0;
      const good = wanted.filter((_, number) => replies[number]!.status === 200);
      assert.equal(good.length, isBurnt ? NEIGHBOURS - 1 : NEIGHBOURS, `statement ${n + 1}`);
      assert.deepEqual(await names(), [...before, ...good].sort());
    }
    assert.ok(n > 3 * NEIGHBOURS, `only ${n} statements`);
  });

  test('fails alone in a group commit, also when the database itself refuses it', async () => {
    const keys = Array.from({ length: NEIGHBOURS }, (_, number) => `KEY_${number}`);
    const account = home.path.slice('/12/accounts/'.length);
    const add = (key: string) =>
      world.service.store.write(async (tx) => {
        await tx.accountMembers.addFeatures(account, [key]);
        // Someone has a role on the account already: the second one breaks the primary key.
        if (key === keys[3]) {
          const member = { account_id: account, user_id: world.keys.user_id! };
          await tx.accountMembers.add({ ...member, role: 'ANALYST', post_composer: 0 });
        }
        if (key === keys[5]) throw new Error(SECRET);
      });
    const outcomes = await Promise.allSettled(keys.map(add));
    const kept = keys.filter((_, number) => outcomes[number]!.status === 'fulfilled');
    assert.deepEqual(
      kept,
      keys.filter((key) => key !== keys[3] && key !== keys[5]),
    );
    const stored = await world.service.store.read((tx) => tx.accountMembers.listFeatures(account));
    assert.deepEqual(
      stored.filter((key) => key.startsWith('KEY_')),
      kept,
    );
  });
});

/** Units that wait together. */
const NEIGHBOURS = 8;

async function fused(send: (client: Client) => Promise<Reply>, n: number): Promise<Reply> {
  fuse = n;
  try {
    return await send(world.sandbox);
  } finally {
    fuse = 0;
  }
}

function campaign(name: string): Record<string, string> {
  return { name, funding_instrument_id: home.instrument, entity_status: 'PAUSED' };
}

async function create(name: string): Promise<string> {
  const made = await world.sandbox.call('POST', `${home.path}/campaigns`, { params: campaign(name) });
  return made.body.data.id;
}

async function names(): Promise<string[]> {
  const all = await world.sandbox.call('GET', `${home.path}/campaigns`, { params: { count: 1000 } });
  return all.body.data.map((row: { name: string }) => row.name).sort();
}

/** What callers can see, and every row of every table that calls write to, sequences apart: ids may be lost. */
async function everything(): Promise<string> {
  const params = { count: 1000, with_deleted: true, with_draft: true };
  const shown = await world.sandbox.call('GET', `${home.path}/campaigns`, { params });
  assert.equal(shown.status, 200, shown.text);
  const histories = [];
  for (const id of [kept.changed, kept.deleted]) {
    const asked = { entity_type: 'CAMPAIGN', entity_id: id };
    histories.push((await world.sandbox.call('GET', `${home.path}/account_history`, { params: asked })).text);
  }
  return [shown.text, ...histories, ...(await rows())].join('\n');
}

const TABLES = ['campaigns', 'account_changes', 'accounts', 'account_users', 'account_features', 'funding_instruments'];

function rows(): Promise<string[]> {
  return driver.read(async (session) => {
    const found = [];
    for (const table of TABLES) {
      const all = await session.allRaw(`select * from ${table}`);
      found.push(JSON.stringify(all.map((row) => JSON.stringify(row)).sort()));
    }
    return found;
  });
}
