import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../src/dev/samples/seeded-random.ts';
import { openAccount } from '../test/rig/world.ts';
import { callRounds } from './rig/call-rounds.ts';
import { addPeople, timedEstimate } from './rig/people.ts';
import { median, megabytes, printRates, show } from './rig/report.ts';
import { sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

/** Other sizes than these may be named, the smallest first: `estimate 1000000 10000000`. */
const NAMED = process.argv.slice(3).map(Number);
const SIZES = NAMED.length > 0 ? NAMED : [100_000, 1_000_000];
const P95_MAX_MS = 100;

/** Estimates of 20 criteria over directories of several sizes, each imported into an empty one, one signed call after the other. */
export async function run(): Promise<void> {
  const found: number[] = [];
  for (const users of SIZES) found.push(await estimateOver(users));
  const [most, least] = [SIZES.at(-1)!, SIZES[0]!];
  const growth = found.at(-1)! / found[0]!;
  say(`${show(most / least)} times as many people take ${growth.toFixed(1)} times as long`);
  say(`  ${((found.at(-1)! * 1e6) / most).toFixed(1)} ns a person at p95`);
}

/** Returns the median p95 in milliseconds. */
async function estimateOver(users: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const target = await startBarker({ folder, people: 0 });
  const client = sandboxClient(target);
  const { path } = await openAccount(client);
  const { seconds, made_s } = await addPeople(target, users);
  say(
    `${users.toLocaleString('en')} people imported within ${seconds.toFixed(0)} s with their image, ${made_s.toFixed(0)} s of which made them up`,
  );
  const first = await timedEstimate(client, path, target, seededRandom(1, 0));
  const { p50, p95, worst } = await callRounds((call) => timedEstimate(client, path, target, seededRandom(1, call)));
  printRates(`estimates of 20 criteria, ${users.toLocaleString('en')} people`, { p50, p95 }, ' ms');
  say(`  the first estimate, which loads the image  ${first.toFixed(0)} ms`);
  say(`  target of p95 ${P95_MAX_MS} ms; worst ${worst.toFixed(1)} ms`);
  say(`  memory of the server ${megabytes(target.memory())}, at most ${megabytes(target.memoryPeak())}`);
  await target.close();
  rmSync(folder, { recursive: true, force: true });
  return median(p95);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
