import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Client, clientOf, protocol } from '../rig/client.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker, type Written } from '../rig/process.ts';
import { openAccount } from '../rig/world.ts';

const WRITERS = 32;
/** In each round the process is killed at the moment when this many calls of the round were acknowledged. */
const MOMENTS = [1, 45, 400];
const BATCH = 3;

let place: Place;
let running: Running;
const start = () => startBarker(place, { flags: ['--rate-limits', 'off'] });
const clientNow = () => clientOf(running.file.sandbox_url!, running.file, systemClock);

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  running = await start();
});
after(async () => {
  await running.kill();
  await place.remove();
});

describe('a process that is killed', () => {
  test(`keeps what it acknowledged to ${WRITERS} writers, nothing twice and nothing partially`, async () => {
    const home = await openAccount(clientNow());
    const told: Told = { created: new Map(), counted: new Map() };
    for (const [round, moment] of MOMENTS.entries()) {
      await writeUntilKilled(home, told, { round, moment });
      running = await start();
      const stored = await everyCampaign(clientNow(), home.path);
      const names = stored.map((campaign) => campaign.name);
      assert.equal(new Set(names).size, names.length, 'no campaign twice');
      const byName = new Map(stored.map((campaign) => [campaign.name, campaign]));
      for (const [name, id] of told.created) assert.equal(byName.get(name)?.id, id, `${name} was acknowledged`);
      for (const [name, { acknowledged, sent }] of told.counted) {
        const count = Number(byName.get(name)!.purchase_order_number);
        assert.ok(count >= acknowledged && count <= sent, `${name} has ${count} of ${acknowledged} to ${sent}`);
      }
      assertWhole(names);
      const unanswered = BATCH * WRITERS * (round + 1);
      assert.ok(names.length <= told.created.size + unanswered, 'nothing is there that was never sent');
      await assertSound();
    }
  });

  test('works after it: an existing campaign is changed and deleted', async () => {
    const home = await openAccount(clientNow());
    const id = await create(clientNow(), home, 'before');
    await running.kill();
    running = await start();
    const one = `${home.path}/campaigns/${id}`;
    assert.equal((await clientNow().call('PUT', one, { params: { name: 'after' } })).body.data.name, 'after');
    assert.equal((await clientNow().call('DELETE', one)).status, 200);
  });
});

describe('a request that was answered', () => {
  for (const [how, stop] of [
    ['kill -9', () => running.kill()],
    ['a graceful stop', () => running.stop()],
  ] as const) {
    test(`is refused when it is repeated after ${how}`, async () => {
      const { file } = running;
      const used = signedGet(file);
      assert.equal(await send(file, used), 200);
      await stop();
      running = await start();
      // The ports are new; the signature speaks of the old address, which the request goes on naming as its host.
      const address = { ...running.file, signed_url: file.sandbox_url! };
      assert.equal(await send(address, signedGet(file)), 200, 'a fresh request to the old address is good');
      assert.equal(await send(address, used), 401);
    });
  }

  test('a graceful stop ends with exit code 0', async () => {
    assert.equal(await running.stop(), 0);
    running = await start();
  });
});

interface Home {
  readonly path: string;
  readonly instrument: string;
}

/** What writers were told: campaigns by name, and how far the count of each writer's first one went. */
interface Told {
  readonly created: Map<string, string>;
  readonly counted: Map<string, { acknowledged: number; sent: number }>;
}

/** Writers create, change and create in batches, each one call after the other, until the process is gone. */
async function writeUntilKilled(
  home: Home,
  { created, counted }: Told,
  { round, moment }: { readonly round: number; readonly moment: number },
): Promise<void> {
  const client = clientNow();
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const acknowledge = (): void => {
    acknowledged += 1;
    if (acknowledged === moment) killed = running.kill();
  };
  const writer = async (number: number): Promise<void> => {
    const own = `r${round} w${number}`;
    for (let count = 0; ; count++) {
      try {
        if (count % 3 === 2) {
          const names = Array.from({ length: BATCH }, (_, part) => `${own} ${count} part ${part}`);
          for (const [part, id] of (await createAll(client, home, names)).entries()) created.set(names[part]!, id);
        } else if (count % 3 === 1) {
          const progress = counted.get(`${own} 0`) ?? { acknowledged: 0, sent: 0 };
          counted.set(`${own} 0`, progress);
          progress.sent = count;
          await change(client, home, created.get(`${own} 0`)!, { purchase_order_number: String(count) });
          progress.acknowledged = count;
        } else created.set(`${own} ${count}`, await create(client, home, `${own} ${count}`));
      } catch (error) {
        if (killed) return;
        throw error;
      }
      acknowledge();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  await killed;
}

/** Creates campaigns in one batch; their ids once the whole reply has arrived. */
async function createAll(client: Client, { path, instrument }: Home, names: readonly string[]): Promise<string[]> {
  const json = names.map((name) => ({
    operation_type: 'Create',
    params: { name, funding_instrument_id: instrument, entity_status: 'PAUSED' },
  }));
  const reply = await client.call('POST', `/12/batch${path.slice('/12'.length)}/campaigns`, { json });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.map((campaign: { id: string }) => campaign.id);
}

async function change(client: Client, { path }: Home, id: string, params: Record<string, string>): Promise<void> {
  const reply = await client.call('PUT', `${path}/campaigns/${id}`, { params });
  assert.equal(reply.status, 200, reply.text);
}

/** Of a batch there is all or nothing. */
function assertWhole(names: readonly string[]): void {
  const parts = new Map<string, number>();
  for (const name of names) {
    const batch = name.split(' part ')[0]!;
    if (batch !== name) parts.set(batch, (parts.get(batch) ?? 0) + 1);
  }
  for (const [batch, count] of parts) assert.equal(count, BATCH, `${batch} is there by halves`);
}

/** Creates a campaign; its id once the whole reply has arrived. */
async function create(client: Client, { path, instrument }: Home, name: string): Promise<string> {
  const params = { name, funding_instrument_id: instrument, entity_status: 'PAUSED' };
  const reply = await client.call('POST', `${path}/campaigns`, { params });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly purchase_order_number: string | null;
}

async function everyCampaign(client: Client, path: string): Promise<Shown[]> {
  const found = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const params = { count: 1000, sort_by: 'name-asc', with_deleted: true, ...(cursor && { cursor }) };
    const page = await client.call('GET', `${path}/campaigns`, { params });
    assert.equal(page.status, 200, page.text);
    found.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return found;
}

/** What one unit writes: a campaign with the record of its creation, an account with its administrator. */
const HALVES = [
  `select id from campaigns c where 1 <> (select count(*) from account_changes h
     where h.account_id = c.account_id and h.entity_id = c.id and h.change_type = 'CREATE')`,
  `select id from account_changes h where h.entity = 'CAMPAIGN' and not exists
     (select 1 from campaigns c where c.account_id = h.account_id and c.id = h.entity_id)`,
  `select id from accounts a where not exists (select 1 from account_users u where u.account_id = a.id)`,
  `select id from campaigns c where not exists
     (select 1 from funding_instruments f where f.account_id = c.account_id and f.id = c.funding_instrument_id)`,
];

/** Looks into the database itself, beside the process that is running on it. */
async function assertSound(): Promise<void> {
  const isEmbedded = place.databaseUrl === '';
  const driver = driverOn(place);
  const ask = (sql: string) => driver.read((session) => session.allRaw(sql));
  try {
    for (const sql of HALVES) assert.deepEqual(await ask(sql), [], sql);
    if (!isEmbedded) return;
    assert.equal((await ask('pragma integrity_check'))[0]?.integrity_check, 'ok');
    assert.deepEqual(await ask('pragma foreign_key_check'), []);
  } finally {
    await driver.close();
  }
}

/** The Authorization header of a list of accounts in the sandbox, as it was addressed when it was signed. */
function signedGet(file: Written): string {
  return sign({
    method: 'GET',
    url: `${file.sandbox_url}/12/accounts`,
    oauth: protocol(file, systemClock),
    consumerSecret: file.consumer_secret,
    tokenSecret: file.access_token_secret,
  }).header;
}

/** Sends a signed list of accounts; the answer is its status. */
function send(to: Written, authorization: string): Promise<number> {
  const { port } = new URL(to.sandbox_url!);
  const { host } = new URL(to.signed_url ?? to.sandbox_url!);
  return new Promise((done, failed) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path: '/12/accounts', headers: { host, authorization }, agent: false },
      (reply) => {
        reply.resume();
        reply.on('end', () => done(reply.statusCode!));
      },
    );
    outgoing.on('error', failed).end();
  });
}
