import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collected, collect } from './collect.ts';
import { git, ROOT } from './machine.ts';
import { median } from './report.ts';

/** Both commits are measured so often, alternately. */
const PAIRS = 5;
/** The share of its speed that something may lose. */
const LOSS = 0.1;
/** Student's t for 95 %, both sides, by degrees of freedom. */
const T_95 = [Number.POSITIVE_INFINITY, 12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26];

/** How much faster the newer commit is at something: 1 is as fast, with the interval that has it 19 times in 20. */
export interface Comparison {
  readonly name: string;
  readonly times: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Runs the benchmarks of this folder with the program of another commit and with that of this one, in turn on this machine.
 * @returns what was slower by more than a tenth, with confidence
 */
export async function compareWith(base: string, names: readonly string[]): Promise<readonly Comparison[]> {
  const there = mkdtempSync(join(tmpdir(), 'barker-base-'));
  git('worktree', 'add', '--detach', '--force', there, base);
  try {
    // The same measures on both sides: those of this commit.
    rmSync(join(there, 'bench'), { recursive: true });
    cpSync(join(ROOT, 'bench'), join(there, 'bench'), { recursive: true });
    if (hasSamePackages(there)) symlinkSync(join(ROOT, 'node_modules'), join(there, 'node_modules'));
    else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: there, stdio: ['ignore', 'ignore', 'inherit'] });
    const slower: Comparison[] = [];
    for (const name of names) slower.push(...(await compareOne(name, there, ROOT)));
    return slower;
  } finally {
    git('worktree', 'remove', '--force', there);
  }
}

function hasSamePackages(there: string): boolean {
  const locked = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  return locked(there) === locked(ROOT);
}

async function compareOne(name: string, there: string, here: string): Promise<Comparison[]> {
  const pairs: (readonly [before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>])[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    // Who is first changes from pair to pair: a machine that warms up favours nobody.
    const order = pair % 2 === 0 ? [there, here] : [here, there];
    const found = new Map<string, ReadonlyMap<string, number>>();
    for (const folder of order) found.set(folder, speedsOf(await collect(name, folder)));
    pairs.push([found.get(there)!, found.get(here)!]);
  }
  const measured = [...pairs[0]![1].keys()].filter((each) => pairs.every(([before]) => before.has(each)));
  if (measured.length === 0) throw new Error(`${name} records nothing that can be compared`);
  const comparisons = measured.map((each) =>
    compared(
      each,
      pairs.map(([before, after]) => after.get(each)! / before.get(each)!),
    ),
  );
  process.stdout.write(`\n${name}: this commit against the other, ${PAIRS} pairs\n`);
  for (const { name: what, times, low, high } of comparisons) {
    process.stdout.write(`  ${what.padEnd(60)} x ${times.toFixed(3)}  (${low.toFixed(3)} to ${high.toFixed(3)})\n`);
  }
  return comparisons.filter(({ high }) => high < 1 - LOSS);
}

/** How fast each thing was that a run measured: rates as they are, times and sizes inverted. */
function speedsOf({ name, code, figures }: Collected): ReadonlyMap<string, number> {
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  const speeds = new Map<string, number>();
  for (const figure of figures) {
    if (figure.kind !== 'rates') continue;
    for (const [what, values] of Object.entries(figure.values)) {
      const value = median(values);
      speeds.set(`${figure.title}: ${what}`, figure.unit.endsWith('/s') ? value : 1 / value);
    }
  }
  return speeds;
}

/** The geometric mean of ratios, and its 95 % interval. */
export function compared(name: string, ratios: readonly number[]): Comparison {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1);
  const reach = T_95[logs.length - 1]! * Math.sqrt(variance / logs.length);
  return { name, times: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}
