import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeSummary, LINE_ITEMS_SUMMARY } from '../../src/contract/store/line-items-summary.ts';
import { onPlace } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { JPEG } from '../rig/tiny-media.ts';
import type { Fate, Ledger } from './ledger.ts';
import { BATCH, type Home, PEOPLE, sendAgain } from './load.ts';
import type { RedisLosses } from './redis-losses.ts';
import type { Site } from './sites.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
type Ask = (sql: string) => Promise<any[]>;

/** Asks the database itself, beside the process that is running on it. */
export function asking<T>({ place }: Site, work: (ask: Ask) => Promise<T>): Promise<T> {
  return onPlace(place, (driver) => work((sql) => driver.read((session) => session.allRaw(sql))));
}

/** Requests whose replay is tried after each restart: the latest. */
const REPLAYED = 5;

/** How nodes that share Redis may treat reads that were answered. */
export interface Repeats {
  /** How many nodes there are: each may answer a read once. */
  readonly nodes: number;
  readonly mayRepeat: RedisLosses['mayRepeat'];
}

/**
 * What must hold as soon as a service is back: nothing that was answered or revoked is accepted again, except reads, by other
 * nodes that share Redis, where that is documented. Returns how many were.
 */
export async function verifyRefusals(site: Site, { used, revoked }: Ledger, repeats?: Repeats): Promise<number> {
  let repeated = 0;
  for (const first of used.slice(-REPLAYED)) {
    let answers = 0;
    // Twice at each node.
    for (let tries = 2 * (repeats?.nodes ?? 0.5); tries > 0; tries--) {
      const from_ms = Date.now();
      const { status } = await sendAgain(site, first.authorization);
      if (status === 200) answers += 1;
      const isAllowed = status === 200 && (await repeats?.mayRepeat(first, { from_ms, until_ms: Date.now() }));
      if (!isAllowed) assert.equal(status, 401, 'a request that was answered is accepted again');
    }
    assert.ok(answers <= (repeats?.nodes ?? 0), 'a node has answered a read twice');
    repeated += answers;
  }
  for (const bearer of revoked.slice(-REPLAYED)) {
    const reply = await fetch(`${site.sandbox}/2/webhooks`, { headers: { authorization: `Bearer ${bearer}` } });
    await reply.arrayBuffer();
    assert.equal(reply.status, 401, 'a bearer token that was revoked is accepted');
  }
  return repeated;
}

/**
 * Holds rows against what clients were told: what was acknowledged is there once, what was not is there once at most, and
 * nothing is there in part.
 * @param prefix only what was sent under names that contain it.
 */
export async function verifyWrites(site: Site, ledger: Ledger, prefix: string): Promise<void> {
  await asking(site, async (ask) => {
    await verifyCampaigns(ask, ledger, prefix);
    const items = await ask(`select name as sent from line_items where name like '% ${prefix}%'`);
    verifyOnce('line item', namesOf(items), ledger.lineItems, prefix);
    const posts = await ask(`select text as sent from posts where text like '% ${prefix}%'`);
    verifyOnce('post', namesOf(posts), ledger.posts, prefix);
  });
}

const namesOf = (rows: readonly { sent: string }[]): string[] => rows.map(({ sent }) => sent);

function verifyOnce(what: string, stored: readonly string[], told: ReadonlyMap<string, Fate>, prefix: string): void {
  const counts = new Map<string, number>();
  for (const name of stored) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of counts) {
    assert.equal(count, 1, `${what} ${name} is there ${count} times`);
    assert.ok(told.has(name), `${what} ${name} was never sent`);
  }
  for (const [name, fate] of told) {
    if (fate === 'acknowledged' && name.includes(` ${prefix}`)) {
      assert.ok(counts.has(name), `${what} ${name} was acknowledged and is not there`);
    }
  }
}

async function verifyCampaigns(ask: Ask, { campaigns }: Ledger, prefix: string): Promise<void> {
  const rows = await ask(
    `select id, name, deleted, purchase_order_number as number from campaigns where name like '% ${prefix}%'`,
  );
  const byName = Map.groupBy(rows, ({ name }) => name as string);
  const parts = new Map<string, number>();
  for (const [name, found] of byName) {
    assert.equal(found.length, 1, `${name} is there ${found.length} times`);
    assert.ok(campaigns.has(name), `${name} was never sent`);
    const batch = name.split(' part ')[0]!;
    if (batch !== name) parts.set(batch, (parts.get(batch) ?? 0) + 1);
  }
  for (const [batch, count] of parts) assert.equal(count, BATCH, `${batch} is there in part`);
  for (const [name, sent] of campaigns) {
    if (sent.id === undefined || !name.includes(` ${prefix}`)) continue;
    const [row] = byName.get(name) ?? [];
    assert.equal(row?.id, sent.id, `${name} was acknowledged and is not there`);
    const number = Number(row.number ?? 0);
    assert.ok(number >= sent.acknowledged && number <= sent.sent, `${name} has ${number} of ${JSON.stringify(sent)}`);
    if (sent.isDeleted) assert.equal(row.deleted, 1, `${name} was deleted`);
    else if (!sent.isDeletionOpen) assert.equal(row.deleted, 0, `${name} was not deleted`);
  }
}

/** What one unit writes: a campaign with the record of its creation, an account with its administrator. */
const HALVES = [
  `select id from campaigns c where 1 <> (select count(*) from account_changes h
     where h.account_id = c.account_id and h.entity_id = c.id and h.change_type = 'CREATE')`,
  `select a.id from accounts a where not exists (select 1 from account_users u where u.account_id = a.id)`,
];

/** What must hold at the end over everything: the file is sound, nothing is there in part, and derived numbers agree with the rows. */
export async function verifyWhole(site: Site, home: Home, ledger: Ledger): Promise<void> {
  await verifyWrites(site, ledger, '');
  await asking(site, async (ask) => {
    for (const sql of HALVES) assert.deepEqual(await ask(sql), [], sql);
    if (site.place.databaseUrl === '') {
      assert.equal((await ask('pragma integrity_check'))[0].integrity_check, 'ok');
      assert.deepEqual(await ask('pragma foreign_key_check'), []);
    }
    await verifySummaries(ask);
    await verifyPeople(ask, home, ledger);
  });
  const paths = await mediaPaths(site);
  for (const id of ledger.media) {
    const path = paths.get(id) ?? '';
    assert.ok(existsSync(path) && readFileSync(path).equals(JPEG), `the media ${id} was acknowledged and is not there`);
  }
}

/** What was put into the library is served byte by byte, and every upload that succeeded has its file. */
export async function verifyLibrary(site: Site, { library }: Ledger): Promise<void> {
  for (const [url, bytes] of library) {
    const reply = await fetch(url);
    assert.equal(reply.status, 200, url);
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(bytes), `${url} is not what was uploaded`);
  }
  for (const [id, path] of await mediaPaths(site)) assert.ok(existsSync(path), `the upload ${id} has no file`);
}

/** The file of each upload that succeeded. */
async function mediaPaths(site: Site): Promise<Map<string, string>> {
  const sql = "select id, object_key from uploads where state = 'succeeded'";
  const rows = await asking(site, (ask) => ask(sql));
  return new Map(rows.map(({ id, object_key }) => [id, join(site.objects ?? site.place.folder, object_key)]));
}

/** What was acknowledged is in the log once, and a webhook is told of all that is there, whoever of the services tells it. */
export async function verifyEvents(site: Site, { events }: Ledger, told: () => ReadonlySet<string>): Promise<void> {
  const rows = await asking(site, (ask) =>
    ask("select text as sent from events where event_type = 'profile.update.bio'"),
  );
  verifyOnce('event', namesOf(rows), events, '');
  for (const { sent } of rows) await until(`a webhook is told of ${sent}`, () => told().has(sent));
}

/** Servability is read from a summary that is kept with each campaign. */
async function verifySummaries(ask: Ask): Promise<void> {
  const campaigns = await ask(`select id, ${LINE_ITEMS_SUMMARY} as summary from campaigns`);
  const items = await ask('select * from line_items where deleted = 0');
  const byCampaign = Map.groupBy(items, ({ campaign_id }) => campaign_id);
  for (const { id, summary } of campaigns) {
    const lines = (byCampaign.get(id) ?? []).map((line) => ({
      entity_status: line.entity_status,
      start_time: line.start_time,
      end_time: line.end_time,
      hasBudget: line.daily_budget_amount_local_micro !== null || line.total_budget_amount_local_micro !== null,
      creative: 'none' as const,
    }));
    assert.equal(summary, encodeSummary(lines), `the summary of campaign ${id}`);
  }
}

/** How many people an audience has once its last upload is merged. */
async function verifyPeople(ask: Ask, { audience }: Home, { people }: Ledger): Promise<void> {
  const open = `select 1 from custom_audiences where id = '${audience}' and is_processing = 1`;
  await until('the uploads of people are merged', async () => (await ask(open)).length === 0);
  const [row] = await ask(`select size from custom_audiences where id = '${audience}'`);
  const acknowledged = [...people.values()].filter((fate) => fate === 'acknowledged').length;
  const size = Number(row.size ?? 0);
  assert.equal(size % PEOPLE, 0, `${size} people: an upload is there in part`);
  assert.ok(
    size >= acknowledged * PEOPLE && size <= people.size * PEOPLE,
    `${size} people of ${acknowledged} acknowledged and ${people.size} sent uploads`,
  );
}
