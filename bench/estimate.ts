import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../src/dev/samples/seeded-random.ts';
import { openAccount } from '../test/rig/world.ts';
import { addPeople, timedEstimate } from './rig/people.ts';
import { printRates, show } from './rig/report.ts';
import { sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

/** Other sizes than these may be named, the smallest first: `estimate 1000000 10000000`. */
const NAMED = process.argv.slice(3).map(Number);
const SIZES = NAMED.length > 0 ? NAMED : [100_000, 1_000_000];
const CALLS = 200;
const P95_MAX_MS = 100;

/** Estimates of 20 criteria over directories that grow, one signed call after the other. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const target = await startBarker({ folder });
  const client = sandboxClient(target);
  const { path } = await openAccount(client);
  const found: number[] = [];
  for (const users of SIZES) {
    const { seconds, made_s } = await addPeople(target, users);
    say(
      `${users.toLocaleString('en')} people imported within ${seconds.toFixed(0)} s with their image, ${made_s.toFixed(0)} s of which made them up`,
    );
    const first = await timedEstimate(client, path, target, seededRandom(1, 0));
    const times: number[] = [];
    for (let call = 1; call <= CALLS; call++)
      times.push(await timedEstimate(client, path, target, seededRandom(1, call)));
    printRates('estimates of 20 criteria', { [`${users.toLocaleString('en')} people`]: times }, ' ms');
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(CALLS * 0.95)]!;
    found.push(p95);
    say(`  the first estimate, which loads the image  ${first.toFixed(0)} ms`);
    say(
      `  p50 ${times[CALLS / 2]!.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (target ${P95_MAX_MS} ms), worst ${times.at(-1)!.toFixed(1)} ms`,
    );
    say(`  memory of the server ${(target.memory() / 1e6).toFixed(0)} MB`);
  }
  const [most, least] = [SIZES.at(-1)!, SIZES[0]!];
  const growth = found.at(-1)! / found[0]!;
  say(`${show(most / least)} times as many people take ${growth.toFixed(1)} times as long`);
  say(`  ${((found.at(-1)! * 1e6) / most).toFixed(1)} ns a person at p95`);
  await target.close();
  rmSync(folder, { recursive: true, force: true });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
