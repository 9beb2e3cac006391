import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/base/random.ts';
import type { OwnRedis } from '../rig/redis.ts';
import { startStandby } from '../rig/standby.ts';
import { assertAllRun, type GroupNode, openGroup, startNode, untilReady } from './group.ts';
import { acknowledgedIn, type Ledger, openLedger, repliesIn } from './ledger.ts';
import { startLoad } from './load.ts';
import { freePorts } from './sites.ts';
import { upgrade } from './upgrade.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { toldTo } from './webhook.ts';

/** What is done to the nodes: one is killed, stopped in good order or frozen; Redis is killed, frozen or flushed. */
export const DISTURBANCES = ['kill', 'stop', 'freeze', 'redis-kill', 'redis-freeze', 'redis-flush'] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

/** Longer than the database may be away when a standby takes its place. */
const FAILOVER_MAX_S = 30;

/** How a proof is run. */
export interface NodesProof {
  readonly nodes: number;
  readonly rounds: number;
  /** None: only what else is said below. */
  readonly kinds: readonly Disturbance[];
  /** How long a node or Redis stands still. */
  readonly freeze_s: number;
  /** Whether PostgreSQL is killed, in the middle, and a standby takes its place. */
  readonly failsOver?: boolean;
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/**
 * Kills, stops and freezes nodes of `barker serve` on one database under a mixed load that changes the node with each
 * request, and Redis with them. Every reply has to be right or 503 with `retry-after`, and what clients were told has to hold
 * on all nodes in the end. Throws with the first difference.
 */
export async function nodes(proof: NodesProof): Promise<Ledger> {
  const { nodes: count, rounds, kinds, freeze_s, failsOver = false, seed, say } = proof;
  const random = seededRandom(seed, 'nodes');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const ledger = openLedger();
  const group = await openGroup(count);
  const { site, home, database, redis } = group;
  const ended: (() => Promise<unknown>)[] = [];
  try {
    const standby = failsOver ? await startStandby(database, (await freePorts(1))[0]!) : undefined;
    if (standby) ended.push(standby.stop);
    const load = startLoad(site, home, ledger, { round: 'r', persists: true, of: 1, pause_ms: 20 });
    ended.push(() => load.stop());
    for (let round = 1; round <= rounds; round++) {
      if (standby && round === Math.ceil(rounds / 2)) {
        const startedAt_ms = performance.now();
        await database.down('kill');
        await standby.promote();
        group.databaseBalancer.route([standby.port]);
        await Promise.all(group.nodes.map(({ site }) => untilReady(site)));
        const away_s = ((await lastRefusal(ledger)) - startedAt_ms) / 1000;
        say(`PostgreSQL killed, a standby in its place: the last request was refused after ${away_s.toFixed(1)} s`);
        if (away_s > FAILOVER_MAX_S) throw new Error('the failover took too long');
      }
      const kind = kinds[below(kinds.length)];
      if (kind === undefined) continue;
      const node = group.nodes[below(count)]!;
      await pause(500 + below(1500));
      const before = repliesIn(ledger);
      await disturb(kind, node, redis, freeze_s * 1000);
      // Nonces of reads go with it: another node may then answer a read again. `docs/operate.md` says so.
      if (kind.startsWith('redis-')) ledger.used.length = 0;
      say(`round ${round}: ${kind}, ${repliesIn(ledger) - before} replies meanwhile`);
      assertAllRun(group);
      if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    }
    await load.stop();
    if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    await verifyRefusals(site, ledger);
    await verifyWhole(site, home, ledger);
    await verifyLibrary(site, ledger);
    await verifyEvents(site, ledger, () => toldTo(group.reached));
  } finally {
    for (const end of ended.reverse()) await end();
    await group.close();
  }
  return ledger;
}

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

async function disturb(kind: Disturbance, node: GroupNode, redis: OwnRedis, freeze_ms: number): Promise<void> {
  switch (kind) {
    case 'kill':
    case 'stop':
      await node.serving?.[kind]();
      node.serving = undefined;
      return startNode(node);
    case 'freeze':
      process.kill(node.serving!.pid, 'SIGSTOP');
      await pause(freeze_ms);
      process.kill(node.serving!.pid, 'SIGCONT');
      return;
    case 'redis-kill':
      await redis.kill();
      await pause(500);
      return redis.start();
    case 'redis-freeze': {
      const thaw = redis.freeze();
      await pause(freeze_ms);
      return thaw();
    }
    case 'redis-flush':
      await redis.command('flushall');
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '10' },
      kinds: { type: 'string', default: DISTURBANCES.join(',') },
      'freeze-s': { type: 'string', default: '15' },
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
    : await nodes({ ...numbers, kinds, freeze_s: Number(values['freeze-s']), failsOver: values.failover, say });
  const statuses = [...ledger.statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  say(`${repliesIn(ledger)} replies: ${statuses}`);
  say(`${acknowledgedIn(ledger)} writes acknowledged: none lost, doubled or halved`);
}

if (import.meta.main) await main();
