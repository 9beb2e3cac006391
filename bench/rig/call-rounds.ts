/** Rounds of calls, one call after the other: the percentiles of each round, in milliseconds. */
export interface CallRounds {
  readonly p50: number[];
  readonly p95: number[];
  /** The slowest call of all. */
  readonly worst: number;
}

const ROUNDS = 5;
const CALLS = 200;

/** Five rounds of 200 calls, numbered from 1. */
export async function callRounds(timedCall: (number: number) => Promise<number>): Promise<CallRounds> {
  const [p50, p95]: [number[], number[]] = [[], []];
  let worst = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    for (let call = 1; call <= CALLS; call++) times.push(await timedCall(round * CALLS + call));
    times.sort((a, b) => a - b);
    p50.push(times[CALLS / 2]!);
    p95.push(times[Math.floor(CALLS * 0.95)]!);
    worst = Math.max(worst, times.at(-1)!);
  }
  return { p50, p95, worst };
}
