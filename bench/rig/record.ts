import { appendFileSync } from 'node:fs';

/** What a benchmark found, as it is kept beside the page. */
export type Figure =
  /** Several things that were measured in turn: the values of each round, by name. */
  | {
      readonly kind: 'rates';
      readonly title: string;
      readonly unit: string;
      readonly values: Readonly<Record<string, readonly number[]>>;
    }
  | { readonly kind: 'ratio'; readonly name: string; readonly value: number; readonly target?: string }
  | Growth;

/** How a cost grows with a size: for each line, the size and the cost at it, in the order of the sizes. */
export interface Growth {
  readonly kind: 'growth';
  readonly title: string;
  /** What the sizes count. */
  readonly of: string;
  readonly unit: string;
  readonly lines: Readonly<Record<string, readonly (readonly [size: number, cost: number])[]>>;
}

/** Names the file that figures are appended to, a line of JSON each. */
export const RECORD = 'BENCH_RECORD';

/** Keeps a figure, when somebody collects them. */
export function record(figure: Figure): void {
  const file = process.env[RECORD];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
