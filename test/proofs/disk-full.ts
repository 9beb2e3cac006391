import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { until } from '../rig/patience.ts';
import { acknowledgedIn, openLedger, repliesIn } from './ledger.ts';
import { openHome, startLoad } from './load.ts';
import { openSite, type Site, serve } from './sites.ts';
import { verifyRefusals, verifyWhole } from './verify.ts';

/** What is on a small disk of its own, and what `/readyz` says of it when there is no room. */
const DISKS = { data: 'disk', nonces: 'nonces', media: 'media' } as const;
type Disk = keyof typeof DISKS;
/** Larger than what twenty rounds of the load write, with a write-ahead log of 40 MB: only the proof fills them. */
const SIZES: Readonly<Record<Disk, string>> = { data: '192m', nonces: '8m', media: '8m' };

/** How a proof is run. */
export interface Fillings {
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** What came of it. */
export interface Filled {
  readonly requests: number;
  readonly refused: number;
  readonly acknowledged: number;
}

/**
 * Fills and frees the disks of a service under load, one after the other. Throws when a reply is neither good nor a 503 with
 * `retry-after`, when readiness does not follow, when the process ends, or when what was acknowledged is not there once.
 */
export async function fillDisks({ rounds, say }: Fillings): Promise<Filled> {
  const root = mkdtempSync(join(tmpdir(), 'barker-full-'));
  const places = mountAll(root);
  const ledger = openLedger();
  try {
    const folder = places.data;
    for (const name of ['nonces', 'media'] as const) symlinkSync(places[name], join(folder, name));
    const site = await openSite({ folder, databaseUrl: '', remove: async () => {} }, ['--access-log', 'off']);
    const service = await serve(site);
    try {
      const home = await openHome(site);
      const load = startLoad(site, home, ledger, { round: 'full', persists: true });
      try {
        for (let round = 0; round < rounds; round++) {
          const disk = (Object.keys(DISKS) as Disk[])[round % 3]!;
          const before = ledger.statuses.get(503) ?? 0;
          await fill(places[disk]);
          await readiness(site, DISKS[disk], 'failed');
          // Those that need room for more than they find are refused.
          await until(`something is refused while ${disk} is full`, () => (ledger.statuses.get(503) ?? 0) > before);
          rmSync(join(places[disk], 'filling'));
          await readiness(site, DISKS[disk], 'ok');
          const good = ledger.statuses.get(200) ?? 0;
          await until(
            `something is accepted once ${disk} has room again`,
            () => (ledger.statuses.get(200) ?? 0) > good + 20,
          );
          if (service.exitCode() !== undefined) throw new Error(`it ended by itself:\n${service.output()}`);
          if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
          say(`round ${round + 1}: ${disk} was full and is not; ${(ledger.statuses.get(503) ?? 0) - before} refused`);
        }
      } finally {
        await load.stop();
      }
      if (ledger.wrong.length > 0) throw new Error(ledger.wrong.slice(0, 5).join('\n'));
      await verifyRefusals(site, ledger);
      await verifyWhole(site, home, ledger);
    } finally {
      await service.stop();
    }
  } finally {
    for (const path of Object.values(places).toReversed()) execFileSync('umount', [path]);
    rmSync(root, { recursive: true });
  }
  return {
    requests: repliesIn(ledger),
    refused: ledger.statuses.get(503) ?? 0,
    acknowledged: acknowledgedIn(ledger),
  };
}

/** @throws when this user may not mount. */
function mountAll(root: string): Record<Disk, string> {
  const mounted: string[] = [];
  const mount = (name: Disk): string => {
    const path = join(root, name);
    mkdirSync(path);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZES[name]},mode=700`, 'tmpfs', path], { stdio: 'pipe' });
    } catch (error) {
      for (const each of mounted) execFileSync('umount', [each]);
      throw new Error('this proof mounts small disks, which needs root (or CAP_SYS_ADMIN)', { cause: error });
    }
    mounted.push(path);
    return path;
  };
  return { data: mount('data'), nonces: mount('nonces'), media: mount('media') };
}

const PIECE = Buffer.alloc(65_536);

/** Takes all room of a disk, to the last byte. */
async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, 'filling'), 'w');
  try {
    for (let length = PIECE.length; length > 0; ) {
      try {
        await file.write(PIECE, 0, length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        length = Math.floor(length / 2);
      }
    }
  } finally {
    await file.close();
  }
}

/** Waits until `/readyz` says so of a check, and is ready exactly when that is `ok`. */
async function readiness({ operations }: Site, check: string, state: 'ok' | 'failed'): Promise<void> {
  let told = '';
  await until(
    () => `${check} of /readyz is ${state}: ${told}`,
    async () => {
      const reply = await fetch(`${operations}/readyz`);
      told = await reply.text();
      return JSON.parse(told).checks[check] === state && (reply.status === 200) === (state === 'ok');
    },
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
  process.env.TEST_LOGS ??= mkdtempSync(join(tmpdir(), 'barker-proof-logs-'));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const { requests, refused, acknowledged } = await fillDisks({ rounds: Number(values.rounds), say });
    say(`${requests} requests answered, ${refused} with 503; ${acknowledged} writes acknowledged, each is there once`);
  } finally {
    rmSync(process.env.TEST_LOGS, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
