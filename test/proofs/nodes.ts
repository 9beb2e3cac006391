import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { seededRandom } from '../../src/base/random.ts';
import { openBalancer, routeToReady } from '../rig/balancer.ts';
import type { Place } from '../rig/databases.ts';
import { startPostgres } from '../rig/postgres.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { startStandby } from '../rig/standby.ts';
import { acknowledgedIn, type Ledger, openLedger, repliesIn } from './ledger.ts';
import { openHome, startLoad } from './load.ts';
import { freePorts, type Serving, type Site, serve } from './sites.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { openReachedSite, subscribe, toldTo } from './webhook.ts';

/** What is done to the nodes: one is killed, stopped in good order or frozen; Redis is killed, frozen or flushed. */
export const DISTURBANCES = ['kill', 'stop', 'freeze', 'redis-kill', 'redis-freeze', 'redis-flush'] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

/** Longer than the database may be away when a standby takes its place. */
const FAILOVER_MAX_S = 30;

/** How a proof is run. */
export interface NodesProof {
  readonly nodes: number;
  readonly rounds: number;
  readonly kinds: readonly Disturbance[];
  /** How long a node or Redis stands still. */
  readonly freeze_s: number;
  /** Whether PostgreSQL is killed, in the middle, and a standby takes its place. */
  readonly failsOver?: boolean;
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/** A node of a group, which is started again at the same addresses. */
interface GroupNode {
  readonly site: Site;
  serving: Serving | undefined;
}

/**
 * Kills, stops and freezes nodes of `barker serve` on one database under a mixed load that changes the node with each
 * request, and Redis with them. Every reply has to be right or 503 with `retry-after`, and what clients were told has to hold
 * on all nodes in the end. Throws with the first difference.
 */
export async function nodes(proof: NodesProof): Promise<Ledger> {
  const { nodes: count, rounds, kinds, freeze_s, failsOver = false, seed, say } = proof;
  // Each request has a connection of its own, which the balancer gives to the next node.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  const random = seededRandom(seed, 'nodes');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const [database, redis] = await Promise.all([startPostgres(), startRedis()]);
  const folder = mkdtempSync(join(tmpdir(), 'barker-nodes-'));
  const ledger = openLedger();
  const ended: (() => Promise<unknown>)[] = [];
  try {
    const address = await openBalancer();
    ended.push(() => address.close());
    address.route([Number(new URL(database.url).port)]);
    const databaseUrl = Object.assign(new URL(database.url), { port: new URL(address.url).port }).href;
    const standby = failsOver ? await startStandby(database, (await freePorts(1))[0]!) : undefined;
    if (standby) ended.push(standby.stop);
    const place = placeIn(folder, 1, databaseUrl);
    const objects = join(folder, 'objects');
    const shared = ['--object-store', objects, '--access-log', 'off', '--media-processing-s', '0'];
    const opened = await openReachedSite(place, shared);
    const { reached } = opened;
    const first = { ...opened.site, objects, env: { ...opened.site.env, BARKER_REDIS_URL: redis.url } };
    ended.push(() => reached.close());
    const balancers = await Promise.all([openBalancer(), openBalancer()]);
    ended.push(() => Promise.all(balancers.map((each) => each.close())));
    const ports = await freePorts(3 * count);
    const urls = ['--public-base-url', balancers[0].url, '--public-sandbox-url', balancers[1].url];
    const group = Array.from({ length: count }, (_, at): GroupNode => {
      const flags = [...first.flags, ...urls];
      const site = { ...first, flags, place: placeIn(folder, at + 1, databaseUrl) };
      return { site: atPorts(site, ports.slice(3 * at, 3 * at + 3)), serving: undefined };
    });
    ended.push(() => Promise.all(group.map(async ({ serving }) => serving?.kill())));
    await Promise.all(group.map(start));
    const balanced = group.map(({ site }) => ({
      readyz: `${site.operations}/readyz`,
      ports: [site.production, site.sandbox].map((url) => Number(new URL(url).port)),
    }));
    ended.push(await routeToReady(balancers, balanced));
    const site = { ...first, production: balancers[0].url, sandbox: balancers[1].url };
    const home = await openHome(site);
    await subscribe(site);
    const load = startLoad(site, home, ledger, { round: 'r', persists: true, of: 1, pause_ms: 20 });
    ended.push(() => load.stop());
    for (let round = 1; round <= rounds; round++) {
      if (standby && round === Math.ceil(rounds / 2)) {
        const startedAt_ms = performance.now();
        await database.down('kill');
        await standby.promote();
        address.route([standby.port]);
        await Promise.all(group.map(({ site }) => untilReady(site)));
        const away_s = ((await lastRefusal(ledger)) - startedAt_ms) / 1000;
        say(`PostgreSQL killed, a standby in its place: the last request was refused after ${away_s.toFixed(1)} s`);
        if (away_s > FAILOVER_MAX_S) throw new Error('the failover took too long');
      }
      const kind = kinds[below(kinds.length)]!;
      const node = group[below(count)]!;
      await pause(500 + below(1500));
      const before = repliesIn(ledger);
      await disturb(kind, node, redis, freeze_s * 1000);
      // Nonces of reads go with it: another node may then answer a read again. `docs/operate.md` says so.
      if (kind.startsWith('redis-')) ledger.used.length = 0;
      say(`round ${round}: ${kind}, ${repliesIn(ledger) - before} replies meanwhile`);
      for (const { serving } of group) {
        if (serving?.exitCode() !== undefined) throw new Error(`a node ended by itself:\n${serving.output()}`);
      }
      if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    }
    await load.stop();
    if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
    await verifyRefusals(site, ledger);
    await verifyWhole(site, home, ledger);
    await verifyLibrary(site, ledger);
    await verifyEvents(site, ledger, () => toldTo(reached));
  } finally {
    for (const end of ended.reverse()) await end();
    await Promise.all([database.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
  return ledger;
}

async function start(node: GroupNode): Promise<void> {
  node.serving = await serve(node.site);
}

/** A data folder of a node of its own. */
function placeIn(folder: string, number: number, databaseUrl: string): Place {
  const own = join(folder, `node-${number}`);
  mkdirSync(own, { recursive: true });
  return { folder: own, databaseUrl, async remove() {} };
}

function atPorts(site: Site, ports: readonly number[]): Site {
  const names = ['--port', '--sandbox-port', '--operations-port'];
  const [production, sandbox, operations] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string, string];
  // Of a flag that is given twice, the last one counts.
  const flags = [...site.flags, ...ports.flatMap((port, at) => [names[at]!, `${port}`])];
  return { ...site, production, sandbox, operations, flags };
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

async function untilReady({ operations }: Site): Promise<void> {
  for (const deadline_ms = performance.now() + 2 * FAILOVER_MAX_S * 1000; performance.now() < deadline_ms; ) {
    const isReady = await fetch(`${operations}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) return;
    await pause(LOOK_MS);
  }
  throw new Error(`${operations}/readyz did not turn to 200`);
}

async function disturb(kind: Disturbance, node: GroupNode, redis: OwnRedis, freeze_ms: number): Promise<void> {
  switch (kind) {
    case 'kill':
    case 'stop':
      await node.serving?.[kind]();
      node.serving = undefined;
      return start(node);
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
      seed: { type: 'string', default: '1' },
    },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const kinds = values.kinds.split(',') as Disturbance[];
  const numbers = { nodes: Number(values.nodes), rounds: Number(values.rounds), seed: Number(values.seed) };
  const ledger = await nodes({
    ...numbers,
    kinds,
    freeze_s: Number(values['freeze-s']),
    failsOver: values.failover,
    say,
  });
  const statuses = [...ledger.statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  say(`${repliesIn(ledger)} replies: ${statuses}`);
  say(`${acknowledgedIn(ledger)} writes acknowledged: none lost, doubled or halved`);
}

if (import.meta.main) await main();
