import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { seededRandom } from '../../src/base/random.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { type Pair, pairKinds } from '../rig/revocations.ts';
import { openWorld, type World } from '../rig/world.ts';

/** `TEST_PAIRS=10000` makes it as many as anybody has time for; `--seed` makes them others. */
const PAIRS = Number(process.env.TEST_PAIRS ?? 240);
const SEED = Number(process.env.TEST_SEED ?? 20260302);
const NODES = 3;
/** How many pairs are under way at a time. */
const AT_ONCE = 6;
/** Answers at least between two times at which all connections end. */
const ANSWERS_BETWEEN = 2 * AT_ONCE;

let world: World;
let administrator: pg.Client;
before(async () => {
  world = await openWorld({ which: 'postgres', nodes: NODES, flags: { rate_limits: 'off', access_log: 'failures' } });
  administrator = new pg.Client({ connectionString: world.place.databaseUrl });
  await administrator.connect();
});
after(async () => {
  await administrator.end();
  await world.close();
});

/** How pairs went: how many of each kind and status, on how many pairs of different nodes, and what was tried again. */
interface Outcomes {
  readonly statuses: Map<string, number>;
  crossed: number;
  unavailable: number;
}

const kinds = Object.keys(pairKinds);

/** One of each kind. */
async function oneOfEach(): Promise<Map<string, Pair>> {
  const made = await Promise.all(kinds.map(async (kind) => [kind, await pairKinds[kind]!(world)] as const));
  return new Map(made);
}

/**
 * Runs pairs of each kind in turn. A random node ends what a random node has used before and uses again as soon as that
 * is acknowledged.
 */
async function runPairs(
  times: number,
  seed: number,
  beside: (isOver: () => boolean, answers: () => number) => Promise<void> = async () => {},
): Promise<Outcomes> {
  const random = seededRandom(seed, 'revocations');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const outcomes: Outcomes = { statuses: new Map(), crossed: 0, unavailable: 0 };
  let answers = 0;
  /** What is answered by 503, and what fails because the database is away, is tried again. */
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const result = await work();
        if (result !== 503) {
          answers += 1;
          return result;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
      outcomes.unavailable += 1;
      await wait(5);
    }
  };
  let left = times;
  const work = async (own: Map<string, Pair>): Promise<void> => {
    while (left-- > 0) {
      const kind = kinds[left % kinds.length]!;
      const [ending, using] = [below(NODES), below(NODES)];
      const storeOf = (node: number) => world.nodes[node]!.store;
      const pair = own.get(kind) ?? (await persist(() => pairKinds[kind]!(world)));
      own.set(kind, pair);
      assert.equal(await persist(() => pair.use(using)), 200, `${kind} is good before`);
      await persist(() => pair.end(storeOf(ending)));
      const status = await persist(() => pair.use(using));
      const outcome = `${kind}: ${status === pair.refused ? 'refused' : `answered by ${status}`}`;
      outcomes.statuses.set(outcome, (outcomes.statuses.get(outcome) ?? 0) + 1);
      if (ending !== using) outcomes.crossed += 1;
      if (pair.restore) await persist(() => pair.restore!(storeOf(below(NODES))));
      else own.delete(kind);
    }
  };
  const pairs = await Promise.all(Array.from({ length: AT_ONCE }, oneOfEach));
  let isOver = false;
  const other = beside(
    () => isOver,
    () => answers,
  );
  try {
    await Promise.all(pairs.map(work));
  } finally {
    isOver = true;
    await other;
  }
  return outcomes;
}

function assertRefused({ statuses, crossed }: Outcomes, times: number): void {
  assert.deepEqual([...statuses.keys()].sort(), kinds.map((kind) => `${kind}: refused`).sort());
  assert.equal(
    [...statuses.values()].reduce((sum, each) => sum + each, 0),
    times,
  );
  assert.ok(crossed > times / 3, 'most pairs are about two nodes');
}

describe('what any of three nodes has ended is refused by the next request to any of them', () => {
  test('while all is well', async (t) => {
    const outcomes = await runPairs(PAIRS, SEED);
    t.diagnostic(JSON.stringify({ ...outcomes, statuses: Object.fromEntries(outcomes.statuses) }));
    assertRefused(outcomes, PAIRS);
    assert.equal(outcomes.unavailable, 0);
  });

  test('while all connections to the database are ended again and again', async (t) => {
    let ended = 0;
    const times = Math.ceil(PAIRS / 4);
    const outcomes = await runPairs(times, SEED + 1, async (isOver, answers) => {
      while (!isOver()) {
        const { rowCount } = await administrator.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        ended += rowCount ?? 0;
        // However busy the machine is, requests are answered in between.
        const before = answers();
        do await wait(500);
        while (!isOver() && answers() < before + ANSWERS_BETWEEN);
      }
    });
    t.diagnostic(JSON.stringify({ ...outcomes, ended, statuses: Object.fromEntries(outcomes.statuses) }));
    assertRefused(outcomes, times);
    assert.ok(ended > 0 && outcomes.unavailable > 0);
  });
});
