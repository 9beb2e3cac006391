import type { ServerResponse } from 'node:http';
import { after, every } from '../../base/timers.ts';
import type { Entry } from './entry.ts';
import { differences, type RequestMatch } from './matching.ts';
import type { RequestRing } from './ring.ts';

/** How often a feed checks whether the service stops. */
const LOOK_MS = 250;
/** Comments keep proxies from ending a silent feed. */
const LOOKS_PER_COMMENT = 60;

/** The options of a feed. */
export interface FeedOptions {
  readonly match: RequestMatch;
  /** Requests that ended after this one come first, as far as they are still kept; undefined for none. */
  readonly lastEnd: number | undefined;
  readonly show: (entry: Entry) => Promise<unknown>;
  readonly isDraining: () => boolean;
}

/** Writes a feed of server-sent events: each request when it has ended. The id of an event is the place of that end. */
export function writeFeed(ring: RequestRing, options: FeedOptions): (response: ServerResponse) => void {
  const { match, lastEnd, show, isDraining } = options;
  return (response) => {
    // One after the other, in the order of their ends.
    let written = Promise.resolve();
    const send = (entry: Entry): void => {
      if (differences(entry, match).length > 0) return;
      written = written.then(async () => {
        response.write(`id: ${entry.ended}\nevent: request\ndata: ${JSON.stringify(await show(entry))}\n\n`);
      });
    };
    response.write(': requests\n\n');
    if (lastEnd !== undefined) {
      const missed = ring.list().filter(({ ended }) => ended !== undefined && ended > lastEnd);
      for (const entry of missed.sort((a, b) => a.ended! - b.ended!)) send(entry);
    }
    const stopListening = ring.onEnd(send);
    let looks = 0;
    const stopLooking = every(LOOK_MS, () => {
      looks += 1;
      if (isDraining()) response.end();
      else if (looks % LOOKS_PER_COMMENT === 0) response.write(': still here\n\n');
    });
    response.on('close', () => {
      stopListening();
      stopLooking();
    });
  };
}

/** The requests to wait for. */
export interface Awaited {
  readonly match: RequestMatch;
  readonly count: number;
  /** Only requests after the one with this id. */
  readonly since: number;
  readonly timeout_ms: number;
}

/** A request that nearly matches, with the names that differ. */
export interface NearMiss {
  readonly entry: Entry;
  readonly differs: readonly string[];
}

const NEAR_MISSES_MAX = 5;

/** Waits until enough requests have ended that match; those that had ended before count too. */
export function waitFor(
  ring: RequestRing,
  { match, count, since, timeout_ms }: Awaited,
  isDraining: () => boolean,
): Promise<{ readonly found: readonly Entry[] } | { readonly came: number; readonly nearMisses: readonly NearMiss[] }> {
  const isNew = ({ id, ended }: Entry): boolean => id > since && ended !== undefined;
  const compared = (): NearMiss[] =>
    ring
      .list()
      .filter(isNew)
      .map((entry) => ({ entry, differs: differences(entry, match) }));
  return new Promise((resolve) => {
    const found: Entry[] = compared()
      .filter(({ differs }) => differs.length === 0)
      .map(({ entry }) => entry);
    const finish = (): void => {
      stopListening();
      stopLooking();
      callOff();
      if (found.length >= count) {
        resolve({ found: found.slice(0, count) });
        return;
      }
      const misses = compared().filter(({ differs }) => differs.length > 0);
      // The latest of those that differ least.
      misses.reverse().sort((a, b) => a.differs.length - b.differs.length);
      resolve({ came: found.length, nearMisses: misses.slice(0, NEAR_MISSES_MAX) });
    };
    const stopListening = ring.onEnd((entry) => {
      if (isNew(entry) && differences(entry, match).length === 0) found.push(entry);
      if (found.length >= count) finish();
    });
    const stopLooking = every(LOOK_MS, () => {
      if (isDraining()) finish();
    });
    const callOff = after(timeout_ms, finish);
    if (found.length >= count) finish();
  });
}
