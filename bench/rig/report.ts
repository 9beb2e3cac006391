import { type Growth, record } from './record.ts';

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Measures several things in turn, round by round, so that a drifting machine hits all alike. */
export async function interleaved<K extends string>(
  rounds: number,
  measures: Readonly<Record<K, () => Promise<number>>>,
  warmUps = 1,
): Promise<Record<K, number[]>> {
  const names = Object.keys(measures) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of names) {
      const value = await measures[name]();
      if (round >= 0) results[name].push(value);
    }
  }
  return results;
}

/** Prints medians with the least and the most of what was measured. */
export function printRates(title: string, results: Record<string, number[]>, unit = '/s'): void {
  record({ kind: 'rates', title, unit, values: results });
  process.stdout.write(`${title}\n`);
  for (const [name, values] of Object.entries(results)) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    process.stdout.write(`  ${name.padEnd(28)} ${show(median(values))}${unit}  (${show(low)} to ${show(high)})\n`);
  }
}

/** The median of the ratios round by round. */
export function ratio(a: readonly number[], b: readonly number[]): number {
  return median(a.map((value, index) => value / b[index]!));
}

/** Prints a ratio beside its target. */
export function printRatio(name: string, value: number, target?: string): void {
  record({ kind: 'ratio', name, value, ...(target !== undefined && { target }) });
  process.stdout.write(`  ${name}: ${value.toFixed(2)}${target === undefined ? '' : `  (target ${target})`}\n`);
}

/** Prints what something costs at each size, and how many times as much as at the size before. */
export function printGrowth(growth: Omit<Growth, 'kind'>): void {
  const { title, of, unit, lines } = growth;
  record({ kind: 'growth', ...growth });
  process.stdout.write(`${title}\n`);
  for (const [name, points] of Object.entries(lines)) {
    const texts = points.map(([size, cost], at) => {
      const before = points[at - 1];
      const times = before === undefined ? '' : ` (x ${(cost / before[1]).toFixed(2)})`;
      return `${size.toLocaleString('en')} ${of}: ${show(cost)}${unit}${times}`;
    });
    process.stdout.write(`  ${name.padEnd(28)} ${texts.join(', ')}\n`);
  }
}

/** Bytes as people read them. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** A number as people read it: three digits, or all of a large one. */
export function show(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
