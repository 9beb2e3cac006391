import { createHash, type Hash } from 'node:crypto';
import type { Bookings } from '../bookings.ts';
import type { RunningPlan } from './advance.ts';

type StoredSpot = readonly [
  line: string,
  creative: string,
  placement: string,
  from_s: number,
  until_s: number,
  numbers: readonly number[],
];

interface StoredPlan {
  readonly digest: string;
  readonly until_s: number;
  readonly spots: readonly StoredSpot[];
}

/** A plan as text, with the digest of everything that it was made from. Metrics are numbered as in the ledger. */
export function writePlan({ until_s, spots }: RunningPlan, digest: string): string {
  const stored = spots.map(
    ({ line, creative, placement, ...spot }): StoredSpot => [
      line,
      creative,
      placement,
      spot.from_s,
      spot.until_s,
      spot.numbers,
    ],
  );
  return JSON.stringify({ digest, until_s, spots: stored } satisfies StoredPlan);
}

/** A stored plan; undefined without one, or if it was made from something else. */
export function readPlan(text: string | null | undefined, digest: string): RunningPlan | undefined {
  if (!text) return undefined;
  const stored = JSON.parse(text) as StoredPlan;
  if (stored.digest !== digest) return undefined;
  const spots = stored.spots.map(([line, creative, placement, from_s, until_s, numbers]) => {
    return { line, creative, placement, from_s, until_s, numbers };
  });
  return { until_s: stored.until_s, spots };
}

type Booked = Pick<Bookings, 'account' | 'lines'>;

/** The bookings, digested already: they are large, and needed several times. */
const begun = new WeakMap<Booked, Hash>();

/** Digest of everything that a plan is made from, besides the ledger. */
export function digestOf(booked: Booked, questions: readonly string[], others: readonly string[]): string {
  let beginning = begun.get(booked);
  if (!beginning) {
    beginning = createHash('sha256').update(`[${JSON.stringify(booked.account)},${JSON.stringify(booked.lines)}`);
    begun.set(booked, beginning);
  }
  return beginning
    .copy()
    .update(`,${JSON.stringify(questions)},${JSON.stringify(others)}]`)
    .digest('base64url');
}
