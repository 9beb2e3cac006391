import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/base/random.ts';
import { untilReady } from '../rig/patience.ts';
import { freePorts } from '../rig/ports.ts';
import { startStandby } from '../rig/standby.ts';
import { assertAllRun, type Group, type GroupNode, openGroup, startNode } from './group.ts';
import { type LeaseWatch, watchLeases } from './leases.ts';
import { acknowledgedIn, type Ledger, openLedger, repliesIn } from './ledger.ts';
import { startLoad } from './load.ts';
import { openReader } from './stream.ts';
import { upgrade } from './upgrade.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { toldTo } from './webhook.ts';

/**
 * What is done to the nodes: one is killed, and started again at once or only after a while, stopped in good order or frozen;
 * Redis is killed, frozen or flushed.
 */
export const DISTURBANCES = ['kill', 'lose', 'stop', 'freeze', 'redis-kill', 'redis-freeze', 'redis-flush'] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

/** How long clients go on after the last disturbance. */
const AFTER_MS = 2000;
/** How long Redis stands still. */
const REDIS_FREEZE_MS = 3000;

/** Longer than the database may be away when a standby takes its place. */
const FAILOVER_MAX_S = 30;

/** How a proof is run. */
export interface NodesProof {
  readonly nodes: number;
  readonly rounds: number;
  /** None: only what else is said below. */
  readonly kinds: readonly Disturbance[];
  /** How long a node stands still, or is gone. */
  readonly away_s: number;
  /** Whether PostgreSQL is killed, in the middle, and a standby takes its place. */
  readonly failsOver?: boolean;
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/**
 * Kills, stops and freezes nodes of `barker serve` on one database under a mixed load that changes the node with each
 * request, and Redis with them. Every reply has to be right or 503 with `retry-after`, and what clients were told has to hold
 * on all nodes in the end. Streams that are opened again whenever they end or are silent have every event, and what a node held
 * is taken over in time. Throws with the first difference.
 */
export async function nodes(proof: NodesProof): Promise<Ledger> {
  const { nodes: count, rounds, kinds, away_s, failsOver = false, seed, say } = proof;
  const random = seededRandom(seed, 'nodes');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const ledger = openLedger();
  const group = await openGroup(count);
  const { site, home, database, redisLosses } = group;
  const ended: (() => Promise<unknown>)[] = [];
  try {
    const standby = failsOver ? await startStandby(database, (await freePorts(1))[0]!) : undefined;
    if (standby) ended.push(standby.stop);
    const leases = watchLeases(site);
    ended.push(leases.stop);
    const readers = [await openReader(site, 'backfill_minutes'), await openReader(site, 'start_time')];
    ended.push(() => Promise.all(readers.map(({ stop }) => stop())));
    const load = startLoad(site, home, ledger, LOADING);
    ended.push(() => load.stop());
    for (let round = 1; round <= rounds; round++) {
      if (standby && round === Math.ceil(rounds / 2)) {
        const startedAt_ms = performance.now();
        await database.down('kill');
        await standby.promote();
        group.databaseBalancer.route([standby.port]);
        await Promise.all(group.nodes.map(({ site }) => untilReady(site.operations)));
        const refused_s = ((await lastRefusal(ledger)) - startedAt_ms) / 1000;
        say(`PostgreSQL killed, a standby in its place: the last request was refused after ${refused_s.toFixed(1)} s`);
        if (refused_s > FAILOVER_MAX_S) throw new Error('the failover took too long');
      }
      const kind = kinds[below(kinds.length)];
      if (kind === undefined) continue;
      const any = group.nodes[below(count)]!;
      // As often the one that holds most.
      const isAny = below(2) === 0;
      await pause(500 + below(1500));
      const before = repliesIn(ledger);
      const deliverer = group.nodes.find(({ serving }) => serving?.pid === leases.deliverer());
      const node = isAny || !deliverer ? any : deliverer;
      await disturb(kind, node, { group, leases, away_ms: away_s * 1000 });
      const replies = `${repliesIn(ledger) - before} replies meanwhile`;
      say([`round ${round}: ${kind}`, replies, ...leases.report()].join(', '));
      assertAllRun(group);
      if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    }
    // Redis is back by then: the latest reads are refused.
    await pause(AFTER_MS);
    await load.stop();
    if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    say(leases.describe());
    leases.report();
    const repeated = await verifyRefusals(site, ledger, { nodes: count, mayRepeat: redisLosses.mayRepeat });
    if (repeated > 0) say(`${repeated} reads were answered again, without Redis`);
    await verifyWhole(site, home, ledger);
    await verifyLibrary(site, ledger);
    await verifyEvents(site, ledger, () => toldTo(group.reached));
    for (const reader of readers) {
      await reader.verify();
      say(reader.describe());
    }
  } finally {
    for (const end of ended.reverse()) await end();
    await group.close();
  }
  return ledger;
}

/** While a node is frozen, events are caused at others. */
const LOADING = { round: 'r', persists: true, of: 1, pause_ms: 20, eventPatience_ms: 5000 };

const LOOK_MS = 100;
/** Longer than the pause between two attempts of any node to reach the database. */
const CALM_MS = 5000;

/** When the last 503 came, once none has come for a while. */
async function lastRefusal({ statuses }: Ledger): Promise<number> {
  let [count, at_ms] = [statuses.get(503), performance.now()];
  while (performance.now() - at_ms < CALM_MS) {
    await pause(LOOK_MS / 2);
    if (statuses.get(503) !== count) [count, at_ms] = [statuses.get(503), performance.now()];
  }
  return at_ms;
}

/** What a disturbance is about. */
interface Disturbed {
  readonly group: Group;
  readonly leases: LeaseWatch;
  readonly away_ms: number;
}

async function disturb(
  kind: Disturbance,
  node: GroupNode,
  { group: { redis, redisLosses }, leases, away_ms }: Disturbed,
): Promise<void> {
  const since_ms = performance.now();
  const { pid } = node.serving!;
  switch (kind) {
    case 'stop':
      await node.serving!.stop();
      return startNode(node);
    case 'kill':
    case 'lose':
      await node.serving!.kill();
      node.serving = undefined;
      await leases.gone(pid, since_ms);
      if (kind === 'lose') await pause(away_ms);
      await startNode(node);
      return leases.back(pid, { isSame: false });
    case 'freeze':
      process.kill(pid, 'SIGSTOP');
      await leases.gone(pid, since_ms);
      await pause(away_ms);
      leases.back(pid, { isSame: true });
      process.kill(pid, 'SIGCONT');
      return;
    case 'redis-kill':
      await redis.kill();
      await pause(500);
      await redis.start();
      return redisLosses.forgot();
    case 'redis-freeze': {
      const thaw = redis.freeze();
      await pause(REDIS_FREEZE_MS);
      return thaw();
    }
    case 'redis-flush':
      await redis.command('flushall');
      return redisLosses.forgot();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '10' },
      kinds: { type: 'string', default: DISTURBANCES.join(',') },
      'away-s': { type: 'string', default: '20' },
      failover: { type: 'boolean', default: false },
      upgrade: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
    },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const kinds = values.kinds.split(',') as Disturbance[];
  const numbers = { nodes: Number(values.nodes), rounds: Number(values.rounds), seed: Number(values.seed) };
  const ledger = values.upgrade
    ? await upgrade(numbers.nodes, say)
    : await nodes({ ...numbers, kinds, away_s: Number(values['away-s']), failsOver: values.failover, say });
  const statuses = [...ledger.statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  say(`${repliesIn(ledger)} replies: ${statuses}`);
  say(`${acknowledgedIn(ledger)} writes acknowledged: none lost, doubled or halved`);
}

if (import.meta.main) await main();
