import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/base/random.ts';
import { ANY_PORTS, started } from '../commands/program.ts';
import { untilReady } from '../rig/patience.ts';
import { type OwnPostgres, type StopKind, startPostgres } from '../rig/postgres.ts';
import { acknowledgedIn, type Ledger, openLedger, repliesIn } from './ledger.ts';
import { openHome, startLoad } from './load.ts';
import { env, type Site, serve } from './sites.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { openReachedSite, subscribe, toldTo } from './webhook.ts';

/** How a database is taken away: stopped in one of three ways, or frozen with its connections open. */
export type OutageKind = StopKind | 'freeze';

/** How a proof is run. */
export interface Outages {
  readonly rounds: number;
  readonly kinds: readonly OutageKind[];
  /** How long a freeze lasts; a stop lasts 0 to 3 seconds. */
  readonly freeze_s: number;
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/** What came of it. */
export interface Outlived {
  readonly ledger: Ledger;
  /** How long after the database was back the service was ready again, each time. */
  readonly ready_s: readonly number[];
}

/** Longer than a service may take to be ready again after its database is back. */

/**
 * Takes PostgreSQL away from `barker serve` under a mixed load, again and again, while a second server tries to start on the same
 * database. The process has to live, every reply has to be right or 503 with `retry-after`, every acknowledged write has to
 * be there once and every other at most once, and the second server must never be ready. Throws with the first difference.
 */
export async function outages({ rounds, kinds, freeze_s, seed, say }: Outages): Promise<Outlived> {
  const random = seededRandom(seed, 'outages');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const server = await startPostgres();
  const place = { folder: mkdtempSync(join(tmpdir(), 'barker-outages-')), databaseUrl: server.url, async remove() {} };
  const ledger = openLedger();
  const ready_s: number[] = [];
  try {
    const { site, reached } = await openReachedSite(place, ['--access-log', 'off', '--media-processing-s', '0']);
    const service = await serve(site);
    try {
      const home = await openHome(site);
      await subscribe(site);
      const load = startLoad(site, home, ledger, { round: 'r', persists: true, of: 1, pause_ms: 20 });
      const others = [keepReading(site, ledger), keepStarting(server.url, ledger)];
      try {
        for (let round = 1; round <= rounds; round++) {
          const kind = kinds[below(kinds.length)]!;
          await pause(500 + below(1500));
          const giveBack = await takeAway(server, kind);
          const away_s = kind === 'freeze' ? freeze_s : below(4);
          await pause(away_s * 1000);
          await giveBack();
          const took_s = await readyAfter(site);
          ready_s.push(took_s);
          say(`round ${round}: ${kind} for ${away_s} s, ready ${took_s.toFixed(1)} s after it was back`);
          if (service.exitCode() !== undefined) throw new Error(`it ended by itself:\n${service.output()}`);
          if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
        }
      } finally {
        await Promise.all([load.stop(), ...others.map((other) => other.stop())]);
      }
      if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
      await verifyRefusals(site, ledger);
      await verifyWhole(site, home, ledger);
      await verifyLibrary(site, ledger);
      await verifyEvents(site, ledger, () => toldTo(reached));
    } finally {
      await service.stop();
      await reached.close();
    }
  } finally {
    await server.stop();
    rmSync(place.folder, { recursive: true, force: true });
  }
  return { ledger, ready_s };
}

interface Beside {
  stop(): Promise<void>;
}

/** Does one thing after the other until it is stopped. */
function keepAt(once: () => Promise<void>): Beside {
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) await once();
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
    },
  };
}

/** Reads a page, and media that are not there, without a signature. */
function keepReading({ sandbox }: Site, { statuses, wrong }: Ledger): Beside {
  const right = new Map([
    ['/login', 200],
    ['/media/1/0123456789abcdef.jpg', 404],
  ]);
  return keepAt(async () => {
    for (const [path, expected] of right) {
      const reply = await fetch(sandbox + path);
      await reply.arrayBuffer();
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const isRefused = reply.status === 503 && Number(reply.headers.get('retry-after')) >= 1;
      if (reply.status !== expected && !isRefused) wrong.push(`GET ${path}: ${reply.status}`);
      await pause(20);
    }
  });
}

/** Starts a second server on the same database, again whenever it gives up. */
function keepStarting(databaseUrl: string, { wrong }: Ledger): Beside {
  const folder = mkdtempSync(join(tmpdir(), 'barker-rival-'));
  const rival = keepAt(async () => {
    const place = ['--data', folder, '--database-url', databaseUrl, ...ANY_PORTS, '--operations-port', '0'];
    const second = started(['serve', ...place, '--allow-insecure-loopback', 'true'], { env });
    const isReady = await second.saw(/"message":"ready"/).then(
      () => true,
      () => false,
    );
    if (!isReady) return;
    wrong.push('a second server was ready');
    second.child.kill('SIGKILL');
    await second.ended;
  });
  return {
    async stop() {
      await rival.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function takeAway(server: OwnPostgres, kind: OutageKind): Promise<() => Promise<void>> {
  if (kind === 'freeze') {
    const thaw = server.freeze();
    return async () => thaw();
  }
  await server.down(kind);
  return () => server.up();
}

/** How long it takes until the service says that it is ready, in seconds. */
async function readyAfter({ operations }: Site): Promise<number> {
  const startedAt_ms = performance.now();
  await untilReady(operations);
  return (performance.now() - startedAt_ms) / 1000;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      kinds: { type: 'string', default: 'fast,immediate,kill,freeze' },
      'freeze-s': { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
    },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const kinds = values.kinds.split(',') as OutageKind[];
  const of = { rounds: Number(values.rounds), kinds, freeze_s: Number(values['freeze-s']), seed: Number(values.seed) };
  const { ledger, ready_s } = await outages({ ...of, say });
  const mean_s = ready_s.reduce((sum, each) => sum + each, 0) / ready_s.length;
  say(
    `${ready_s.length} outages; ready again after ${mean_s.toFixed(1)} s, at most ${Math.max(...ready_s).toFixed(1)} s`,
  );
  const statuses = [...ledger.statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  say(`${repliesIn(ledger)} replies: ${statuses}`);
  say(`${acknowledgedIn(ledger)} writes acknowledged: none lost, doubled or halved; no second server was ready`);
}

if (import.meta.main) await main();
