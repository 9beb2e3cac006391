import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { openPlace } from '../rig/databases.ts';
import { startPostgres } from '../rig/postgres.ts';
import { acknowledgedIn, openLedger, repliesIn } from './ledger.ts';
import { openHome, startLoad } from './load.ts';
import { serve } from './sites.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole, verifyWrites } from './verify.ts';
import { openReachedSite, subscribe, toldTo } from './webhook.ts';

/** How a proof is run. */
export interface Crashes {
  readonly kills: number;
  readonly database: 'sqlite' | 'postgres';
  readonly seed: number;
  /** Is told of progress. */
  readonly say: (line: string) => void;
}

/** What came of it. */
export interface Crashed {
  readonly kills: number;
  readonly acknowledged: number;
  readonly requests: number;
  readonly seconds: number;
}

/** The service is killed after so many replies of a round at most, and a moment more. */
const REPLIES_MAX = 250;
const MOMENT_MS = 40;

/**
 * Kills `barker serve` again and again at random moments under a mixed load, and holds what is there against what clients were
 * told each time. Throws with the first difference. A PostgreSQL server is expected in TEST_POSTGRES_URL.
 */
export async function crash({ kills, database, seed, say }: Crashes): Promise<Crashed> {
  const place = await openPlace(database);
  const random = seededRandom(seed, 'crash');
  const ledger = openLedger();
  const startedAt_ms = performance.now();
  try {
    const { site, reached } = await openReachedSite(place, ['--access-log', 'off', '--media-processing-s', '0']);
    let service = await serve(site);
    try {
      const home = await openHome(site);
      await subscribe(site);
      for (let kill = 1; kill <= kills; kill++) {
        const load = startLoad(site, home, ledger, { round: `r${kill}`, persists: false });
        await pause(below(random, MOMENT_MS));
        const until = repliesIn(ledger) + below(random, REPLIES_MAX);
        while (repliesIn(ledger) < until && service.exitCode() === undefined) await pause(1);
        if (service.exitCode() !== undefined) throw new Error(`it ended by itself:\n${service.output()}`);
        await pause(below(random, MOMENT_MS));
        await service.kill();
        await load.stop();
        service = await serve(site);
        await verifyRefusals(site, ledger);
        await verifyWrites(site, ledger, `r${kill}-`);
        if (ledger.wrong.length > 0) throw new Error(ledger.wrong.join('\n'));
        if (kill % 10 === 0) say(`${kill} kills, ${acknowledgedIn(ledger)} writes acknowledged`);
      }
      await verifyWhole(site, home, ledger);
      await verifyLibrary(site, ledger);
      await verifyEvents(site, ledger, () => toldTo(reached));
    } finally {
      await service.kill();
      await reached.close();
    }
  } finally {
    await place.remove();
  }
  const seconds = (performance.now() - startedAt_ms) / 1000;
  return { kills, acknowledged: acknowledgedIn(ledger), requests: repliesIn(ledger), seconds };
}

/** A random whole number below a bound. */
const below = (random: Random, bound: number): number => Math.floor((random.bytes(2).readUInt16BE() / 65_536) * bound);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '50' },
      database: { type: 'string', default: 'both' },
      seed: { type: 'string', default: '1' },
    },
  });
  const databases = (['sqlite', 'postgres'] as const).filter((name) => ['both', name].includes(values.database));
  if (databases.length === 0) throw new Error('--database is sqlite, postgres or both');
  process.env.TEST_LOGS ??= mkdtempSync(join(tmpdir(), 'barker-proof-logs-'));
  const server = databases.includes('postgres') ? await startPostgres() : undefined;
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  try {
    for (const database of databases) {
      const say = (line: string): void => void process.stdout.write(`${database}: ${line}\n`);
      const of = { kills: Number(values.kills), seed: Number(values.seed), database, say };
      const { kills, acknowledged, requests, seconds } = await crash(of);
      say(
        `${kills} kills in ${seconds.toFixed(0)} s (${((kills / seconds) * 60).toFixed(0)} a minute), seed ${of.seed}`,
      );
      say(`${requests} requests answered, ${acknowledged} writes acknowledged: none lost, doubled or halved`);
    }
  } finally {
    await server?.stop();
    rmSync(process.env.TEST_LOGS, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
