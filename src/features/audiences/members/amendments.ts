import { AMENDMENT_WIDTH, type MemberRun } from './member-run.ts';
import { NO_PLACE, numberMap } from './number-map.ts';

/** Changes by later runs to members of earlier ones. */
export interface Amendments {
  readonly isEmpty: boolean;
  /**
   * Updates the state of a member of run number `run`: number, window and identifiers at `words[at]`. The number is then 0 if
   * the member has ended.
   */
  resolve(words: Uint32Array, at: number, run: number): void;
  /** Returns the current amendment of each amended member, sorted by number. */
  combined(): Uint32Array;
}

/** Combines the amendments of consecutive runs, the oldest first; the last one of a member counts. */
export function amendmentsOf(runs: readonly MemberRun[]): Amendments {
  const room = runs.reduce((sum, { amendments }) => sum + amendments.length / AMENDMENT_WIDTH, 0);
  const places = numberMap(room);
  const states = new Uint32Array(room * AMENDMENT_WIDTH);
  const runOf = new Uint32Array(room);
  let count = 0;
  for (const [run, { amendments }] of runs.entries()) {
    for (let at = 0; at < amendments.length; at += AMENDMENT_WIDTH) {
      const number = amendments[at]!;
      let place = places.find(number);
      if (place === NO_PLACE) {
        place = count++;
        places.add(number, place);
      }
      for (let part = 0; part < AMENDMENT_WIDTH; part++)
        states[place * AMENDMENT_WIDTH + part] = amendments[at + part]!;
      runOf[place] = run;
    }
  }
  const resolve: Amendments['resolve'] = (words, at, run) => {
    // A member may have been merged into another, which was amended later.
    for (let since = run; words[at] !== 0 && places.mayContain(words[at]!); ) {
      const place = places.find(words[at]!);
      if (place === NO_PLACE || runOf[place]! <= since) return;
      for (let part = 0; part < 4; part++) words[at + part] = states[place * AMENDMENT_WIDTH + part + 1]!;
      since = runOf[place]!;
    }
  };
  return {
    isEmpty: room === 0,
    resolve,
    combined() {
      const numbers = Uint32Array.from({ length: count }, (_, place) => states[place * AMENDMENT_WIDTH]!).sort();
      const combined = new Uint32Array(count * AMENDMENT_WIDTH);
      for (const [at, number] of numbers.entries()) {
        const from = at * AMENDMENT_WIDTH;
        combined[from] = number;
        combined[from + 1] = number;
        resolve(combined, from + 1, -1);
      }
      return combined;
    },
  };
}
