import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { NonceUse } from '../../src/contract/declare/callers.ts';
import { type FirstUses, SharedServerAway } from '../../src/contract/services/first-uses.ts';
import { type NonceLog, nonceDigest, type UsedNonce } from '../../src/contract/store/nonces.ts';
import { inMemoryNonces } from '../../src/features/auth/oauth1/nonces.ts';
import { nonceSweeper, sharedNonces, withStoredNonces } from '../../src/features/auth/oauth1/shared-nonces.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';

const WINDOW = 300;
const NOW = 1_772_471_095;

let place: Place;
let store: Store;
/** The statements that ran, in order. */
let ran: string[] = [];
before(async () => {
  place = await openPlace('postgres', { hasSchema: true, isInMemory: true });
  store = storeOn(driverOn(place, { connectionsMax: 4, probe: (sql) => void ran.push(sql) }));
});
after(async () => {
  await store.close();
  await place.remove();
});

let clock: { s: number; now(): number };
let timestamp = NOW;
beforeEach(() => {
  // Each test has seconds of its own.
  timestamp += 1000;
  const present = { s: timestamp, now: () => present.s * 1000 };
  clock = present;
  ran = [];
});

const NONE: Pick<NonceLog, 'read' | 'forgottenUntil'> = { read: () => [], forgottenUntil: () => 0 };
const away: FirstUses = {
  async use() {
    throw new SharedServerAway('it is away');
  },
};
/** A server that remembers what was used, and for how long. */
function remembering() {
  const used = new Map<string, number>();
  const firstUses: FirstUses = {
    async use(key, ttl_s) {
      if (used.has(key)) return false;
      used.set(key, ttl_s);
      return true;
    },
  };
  return { used, firstUses };
}
/** The nonces of one of several processes. */
const process = (firstUses: FirstUses = away): NonceLog =>
  sharedNonces({ store, firstUses, clock, window_s: WINDOW, earlier: NONE });
const used = (nonce: string, at = timestamp): UsedNonce => ({ timestamp: at, digest: nonceDigest('1', at, nonce) });

describe('nonces in PostgreSQL', () => {
  test('are new in one process only, and those that wait together need one statement', async () => {
    const processes = [process(), process()];
    const entries = Array.from({ length: 200 }, (_, at) => used(String(at)));
    const results = await Promise.all([
      ...entries.map((entry) => processes[0]!.append(entry, 'change')),
      ...entries.toReversed().map((entry) => processes[1]!.append(entry, 'change')),
    ]);
    const [one, other] = [results.slice(0, 200), results.slice(200).reverse()];
    assert.deepEqual(
      one.map((isNew, at) => isNew !== other[at]),
      Array(200).fill(true),
    );
    assert.equal(ran.filter((sql) => sql.startsWith('insert into used_nonces')).length, 2);
  });

  test('are reserved by requests that change something, whatever the shared server says', async () => {
    const { used: remembered, firstUses } = remembering();
    const log = process(firstUses);
    assert.equal(await log.append(used('a'), 'change'), true);
    assert.equal(await process(firstUses).append(used('a'), 'change-of-files'), false);
    assert.equal(remembered.size, 0);
  });

  test('of reads are there only while the shared server is away', async () => {
    const { used: remembered, firstUses } = remembering();
    const entry = used('a', timestamp + 100);
    assert.equal(await process(firstUses).append(entry, 'read'), true);
    assert.equal(await process(firstUses).append(entry, 'read'), false);
    assert.deepEqual(ran, []);
    assert.deepEqual([...remembered], [[entry.digest, 100 + 2 * WINDOW]]);
    assert.equal(await process().append(used('b'), 'read'), true);
    assert.equal(await process().append(used('b'), 'read'), false);
  });

  test('are synced to disk only where no commit of the request follows', async () => {
    const commits = async (uses: readonly NonceUse[]): Promise<boolean> => {
      ran = [];
      const log = process();
      await Promise.all(uses.map((use, at) => log.append(used(`${uses.length} ${at} ${use}`), use)));
      return !ran.includes('set local synchronous_commit = off');
    };
    assert.equal(await commits(['change', 'read']), false);
    assert.equal(await commits(['change-of-files']), true);
    assert.equal(await commits(['change', 'change-of-files', 'read']), true);
  });

  test('a nonce that could not be stored may be used again', async () => {
    let isAway = true;
    const failing: Store = {
      ...store,
      write: (work) => (isAway ? Promise.reject(new Error('the database is away')) : store.write(work)),
    };
    const log = sharedNonces({ store: failing, firstUses: away, clock, window_s: WINDOW, earlier: NONE });
    const nonces = inMemoryNonces(log, WINDOW);
    await assert.rejects(nonces.use('1', timestamp, 'a', clock.s).commit('change'), /the database is away/);
    isAway = false;
    await nonces.use('1', timestamp, 'a', clock.s).commit('change');
    const other = inMemoryNonces(process(), WINDOW);
    await assert.rejects(other.use('1', timestamp, 'a', clock.s).commit('change'), /nonce used before/);
    assert.throws(() => other.use('1', timestamp, 'a', clock.s), /nonce used before/, 'remembered from then on');
  });

  test('are known after a restart, also without a shared server', async () => {
    const entries = Array.from({ length: 5 }, (_, at) => used(String(at)));
    await Promise.all(entries.map((entry) => process().append(entry, 'change')));
    const inFile = used('of a file');
    const file: NonceLog = { append: async () => true, read: () => [inFile], forgottenUntil: () => 7 };
    const { log, storedCount } = await withStoredNonces(file, store);
    const known = [...log.read()].map(({ digest }) => digest);
    for (const { digest } of [...entries, inFile]) assert.ok(known.includes(digest));
    assert.equal(storedCount, known.length - 1);
    assert.equal(log.forgottenUntil(), Math.max(7, await store.read((tx) => tx.usedNonces.findForgottenUntil())));
  });
});

describe('expired nonces', () => {
  const stored = async (): Promise<number[]> => {
    const entries = await store.read((tx) => tx.usedNonces.list({ timestamp: 0, digest: '' }, 10_000));
    return [...new Set(entries.map((entry) => entry.timestamp))].filter((each) => each >= timestamp);
  };
  const failed: unknown[] = [];
  const swept = (isClockWrong = () => false) => {
    let elapsed_s = 0;
    const sweeper = nonceSweeper(
      { store, clock, window_s: WINDOW, isClockWrong, onError: (error) => void failed.push(error) },
      () => elapsed_s * 1000,
    );
    sweeper.stop();
    return {
      /** Lets time pass, and sweeps at the end. */
      async after(seconds: number, clockShows = clock.s + seconds) {
        elapsed_s += seconds;
        clock.s = clockShows;
        await sweeper.sweep();
      },
    };
  };

  test('are removed two windows after their timestamp, and none of that second is accepted again', async () => {
    const log = process();
    for (const at of [0, 1, 2]) await log.append(used('a', timestamp + at), 'change');
    const { after } = swept();
    for (let tens = 0; tens < 60; tens++) await after(10);
    assert.deepEqual(await stored(), [timestamp, timestamp + 1, timestamp + 2]);
    for (let tens = 0; tens <= 30; tens++) await after(10);
    assert.deepEqual(await stored(), []);
    assert.equal(await log.append(used('never seen', timestamp), 'change'), false);
    assert.equal(await log.append(used('fresh', clock.s), 'change'), true);
    assert.deepEqual(failed, []);
  });

  test('a clock that jumps ahead for less than a window forgets nothing', async () => {
    const log = process();
    await log.append(used('a'), 'change');
    const { after } = swept();
    for (let tens = 0; tens < 40; tens++) await after(10);
    const right = clock.s;
    for (let tens = 0; tens < 20; tens++) await after(10, right + 7200 + tens * 10);
    await after(10, right + 210);
    assert.deepEqual(await stored(), [timestamp]);
    assert.equal(await log.append(used('fresh', clock.s), 'change'), true);
    assert.equal(await log.append(used('a'), 'change'), false);
  });

  test('a clock that is known to be wrong forgets nothing, however long, so that other servers go on', async () => {
    const log = process();
    await log.append(used('a'), 'change');
    const right = clock.s;
    let isWrong = true;
    const { after } = swept(() => isWrong);
    for (let tens = 1; tens < 60; tens++) await after(10, right + 3600 + tens * 10);
    clock.s = right + 600;
    assert.equal(await log.append(used('fresh', clock.s), 'change'), true);
    assert.deepEqual(await stored(), [timestamp, clock.s]);
    isWrong = false;
    for (let tens = 61; tens < 100; tens++) await after(10, right + tens * 10);
    assert.deepEqual(await stored(), [right + 600]);
    assert.deepEqual(failed, []);
  });
});
