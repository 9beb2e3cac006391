import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { barkerApart, flagsOf } from '../commands/program.ts';
import { openPlace } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { startPostgres } from '../rig/postgres.ts';
import { acknowledgedIn, atBackup, type Ledger, openLedger, repliesIn } from './ledger.ts';
import { type Home, openHome, sendAgain, signedGet, startLoad } from './load.ts';
import { readEverything } from './readings.ts';
import { env, type Serving, type Site, serve } from './sites.ts';
import { asking, verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { openReachedSite, subscribe, toldTo } from './webhook.ts';

/** How a proof is run. */
export interface Backups {
  readonly rounds: number;
  readonly database: 'sqlite' | 'postgres';
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/** What came of it. */
export interface BackedUp {
  readonly rounds: number;
  /** Writes that were acknowledged before a backup began. */
  readonly acknowledged: number;
  /** Replies to reads that were compared. */
  readonly compared: number;
  readonly seconds: number;
}

const other = { sqlite: 'postgres', postgres: 'sqlite' } as const;
const FLAGS = ['--access-log', 'off', '--media-processing-s', '0'];
/** The window in which timestamps of requests are accepted, as it is unless somebody changes it. */
const WINDOW_MS = 300_000;
/** What insights and estimates are asked of. */
const PEOPLED = [
  ['population', '--users', '20000'],
  ['posts', '--count', '20000'],
] as const;
/** Replies before a backup begins, and after it has ended, at most. */
const REPLIES_MAX = 400;
/** Requests of before and after a backup that are sent again. */
const REPLAYED = 10;

/**
 * Backs a service up under a mixed load, restores it elsewhere, and holds what is there against what clients were told. Then
 * what the restored service answers is compared with what a backup of it answers. Each round begins with nothing. Throws with
 * the first difference. A PostgreSQL server is expected in TEST_POSTGRES_URL.
 */
export async function backUps({ rounds, database, seed, say }: Backups): Promise<BackedUp> {
  const random = seededRandom(seed, 'backups');
  const startedAt_ms = performance.now();
  let [acknowledged, compared] = [0, 0];
  for (let round = 1; round <= rounds; round++) {
    // In turns to the same database and to the other one.
    const into = round % 2 === 1 ? database : other[database];
    const done = await once({ database, into, random });
    acknowledged += done.acknowledged;
    compared += done.compared;
    say(`round ${round}, to ${into}: ${done.acknowledged} writes acknowledged, ${done.compared} replies compared`);
  }
  return { rounds, acknowledged, compared, seconds: (performance.now() - startedAt_ms) / 1000 };
}

interface Round {
  readonly database: 'sqlite' | 'postgres';
  readonly into: 'sqlite' | 'postgres';
  readonly random: Random;
}

async function once({ database, into, random }: Round) {
  const places = [await openPlace(database), await openPlace(into), await openPlace(other[into])] as const;
  const ledger = openLedger();
  let service: Serving | undefined;
  const { site, reached } = await openReachedSite(places[0], FLAGS);
  try {
    for (const made of PEOPLED) await succeed(['demo', ...made, ...flagsOf(places[0])]);
    service = await serve(site);
    const home = await openHome(site);
    await subscribe(site);
    const { before, archive } = await underLoad({ site, home, ledger, random });
    await service.stop();

    const restored: Site = { ...site, place: places[1] };
    await restore(archive, restored);
    service = await serve(restored);
    await verifyReplays(restored, before, ledger);
    const clock = await acceptedClock(restored);
    await verifyRefusals(restored, before);
    await verifyWhole(restored, home, atBackup(before, ledger));
    await verifyLibrary(restored, before);
    await verifyEvents(restored, atBackup(before, ledger), () => toldTo(reached));
    await goesOn(restored, home, ledger, clock);

    const day = new Date(systemClock.now()).toISOString().slice(0, 10);
    const answers = await settledAnswers(restored, home, clock, day);
    const again = await backUp(restored);
    await service.stop();
    const third: Site = { ...site, place: places[2] };
    await restore(again, third);
    service = await serve(third);
    const found = await settledAnswers(third, home, await acceptedClock(third), day);
    assert.deepEqual(found, answers);
    return { acknowledged: acknowledgedIn(before), compared: answers.size };
  } finally {
    await service?.kill();
    await reached.close();
    for (const place of places) await place.remove();
  }
}

/** Takes a backup in the middle of a load; the answer holds what had been acknowledged when it began. */
async function underLoad(of: { site: Site; home: Home; ledger: Ledger; random: Random }) {
  const { site, home, ledger, random } = of;
  const load = startLoad(site, home, ledger, { round: 'r', persists: false });
  try {
    await replies(ledger, 100 + below(random, REPLIES_MAX));
    const before = structuredClone(ledger);
    const archive = await backUp(site);
    await replies(ledger, below(random, REPLIES_MAX));
    return { before, archive };
  } finally {
    await load.stop();
    assert.deepEqual(ledger.wrong, []);
  }
}

async function backUp({ place }: Site): Promise<string> {
  const archive = join(place.folder, 'backup.tar.zst');
  await succeed(['backup', archive, ...flagsOf(place)]);
  return archive;
}

async function restore(archive: string, { place }: Site): Promise<void> {
  await succeed(['restore', archive, ...flagsOf(place)]);
}

async function succeed(args: readonly string[]): Promise<void> {
  const { code, stderr } = await barkerApart(args, { env });
  assert.equal(code, 0, `barker ${args[0]} ended with ${code}: ${stderr}`);
}

/** Whatever was signed before the restore is refused as a replay, whether the backup knows of it or not. */
async function verifyReplays(site: Site, before: Ledger, { used }: Ledger): Promise<void> {
  const since = used.slice(before.used.length);
  const tried = [...before.used.slice(-REPLAYED), ...since.slice(0, REPLAYED), ...since.slice(-REPLAYED)];
  assert.ok(tried.length > 0);
  for (const { authorization } of tried) {
    assert.deepEqual(await sendAgain(site, authorization), { status: 401, code: 135 });
  }
}

/** A clock ahead of ours by as much as a clock may be, which signs what is accepted soonest after a restore. */
async function acceptedClock(site: Site): Promise<Clock> {
  const clock: Clock = { now: () => systemClock.now() + WINDOW_MS - 500 };
  await until('signed requests are accepted', async () => (await signedGet(site, clock)).status === 200);
  return clock;
}

/** The restored service takes writes, and gives out no id that clients know from before. */
async function goesOn(site: Site, home: Home, ledger: Ledger, clock: Clock): Promise<void> {
  const known = new Set([...ledger.campaigns.values()].map(({ id }) => id));
  const own = openLedger();
  const load = startLoad(site, home, own, { round: 'after', persists: false, clock });
  await replies(own, 100);
  await load.stop();
  assert.deepEqual(own.wrong, []);
  assert.ok(acknowledgedIn(own) > 0);
  for (const { id } of own.campaigns.values())
    assert.ok(id === undefined || !known.has(id), `${id} is given out again`);
}

/** What is answered once nothing is under way any more. */
async function settledAnswers(site: Site, home: Home, clock: Clock, day: string): Promise<Map<string, string>> {
  await asking(site, (ask) =>
    until('nothing is under way', async () => {
      const merging = await ask('select 1 from custom_audiences where is_processing = 1');
      const processing = await ask("select 1 from uploads where state in ('pending', 'in_progress')");
      return merging.length + processing.length === 0;
    }),
  );
  let answers: Map<string, string> | undefined;
  await until('indexes are there', async () => {
    answers = await readEverything(site, home, clock, day).catch((error: Error) => {
      if (/: 503 /.test(error.message)) return undefined;
      throw error;
    });
    return answers !== undefined;
  });
  return answers!;
}

async function replies(ledger: Ledger, count: number): Promise<void> {
  const wanted = repliesIn(ledger) + count;
  await until(`${count} replies came`, async () => repliesIn(ledger) >= wanted || ledger.wrong.length > 0);
}

/** A random whole number below a bound. */
const below = (random: Random, bound: number): number => Math.floor((random.bytes(2).readUInt16BE() / 65_536) * bound);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '4' },
      database: { type: 'string', default: 'both' },
      seed: { type: 'string', default: '1' },
    },
  });
  const databases = (['sqlite', 'postgres'] as const).filter((name) => ['both', name].includes(values.database));
  if (databases.length === 0) throw new Error('--database is sqlite, postgres or both');
  process.env.TEST_LOGS ??= mkdtempSync(join(tmpdir(), 'barker-proof-logs-'));
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  try {
    for (const database of databases) {
      const say = (line: string): void => void process.stdout.write(`${database}: ${line}\n`);
      const of = { rounds: Number(values.rounds), seed: Number(values.seed), database, say };
      const { rounds, acknowledged, compared, seconds } = await backUps(of);
      say(`${rounds} backups under load in ${seconds.toFixed(0)} s, seed ${of.seed}`);
      say(`${acknowledged} writes acknowledged before them: none lost, doubled or halved; ${compared} replies equal`);
    }
  } finally {
    await server.stop();
    rmSync(process.env.TEST_LOGS, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
