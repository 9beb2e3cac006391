import type { Clock } from '../../../base/clock.ts';
import { elapsed_ms, every } from '../../../base/timers.ts';
import type { NonceLog, UsedNonce } from '../../../contract/store/nonces.ts';
import type { Store } from '../../../contract/store/store.ts';

const PAGE = 20_000;
const REMOVED_MAX = 10_000;

/**
 * A log that also reads the nonces in the database: those of servers that shared them, while the setting `redis_url` was
 * set.
 * @source decision 746
 */
export async function withStoredNonces(log: NonceLog, store: Store): Promise<{ log: NonceLog; storedCount: number }> {
  const stored: UsedNonce[] = [];
  let last: UsedNonce = { timestamp: 0, digest: '' };
  for (;;) {
    const page = await store.read((tx) => tx.usedNonces.list(last, PAGE));
    stored.push(...page);
    if (page.length < PAGE) break;
    last = page.at(-1)!;
  }
  const forgottenUntil = await store.read((tx) => tx.usedNonces.findForgottenUntil());
  const both: NonceLog = {
    append: log.append,
    *read() {
      yield* log.read();
      yield* stored;
    },
    forgottenUntil: () => Math.max(log.forgottenUntil(), forgottenUntil),
  };
  return { log: both, storedCount: stored.length };
}

/** How often expired nonces are looked for. */
const SWEEP_MS = 10_000;

/** What removes expired nonces from the database, while it runs. */
export interface NonceSweeper {
  /** Removes what has expired; runs by itself every few seconds. */
  sweep(): Promise<void>;
  stop(): void;
}

/**
 * Removes nonces from the database two windows after their timestamp, so that the clocks of the servers may differ by one.
 * The clock may jump ahead and be set back: what counts is its earliest time within the last window. One that is wrong for longer
 * would make all servers refuse what is signed by a right one.
 * @source decision 430, 748, 825
 */
export function nonceSweeper(
  { store, clock, window_s, isClockWrong = () => false, onError }: SweeperOptions,
  elapsed: () => number = elapsed_ms,
): NonceSweeper {
  /** What the clock showed when, the latest last: all times of the last window, and one before it. */
  const times: { readonly now_s: number; readonly at_ms: number }[] = [];
  const window_ms = window_s * 1000;
  let isSweeping = false;

  const sweep = async (): Promise<void> => {
    const at_ms = elapsed();
    times.push({ now_s: Math.floor(clock.now() / 1000), at_ms });
    while (times.length > 1 && at_ms - times[1]!.at_ms >= window_ms) times.shift();
    if (isSweeping || isClockWrong() || at_ms - times[0]!.at_ms < window_ms) return;
    const until = Math.min(...times.map(({ now_s }) => now_s)) - 2 * window_s - 1;
    isSweeping = true;
    try {
      // First nobody takes such a nonce any more, then they are removed.
      await store.write((tx) => tx.usedNonces.forgetUntil(until));
      while ((await store.write((tx) => tx.usedNonces.removeUntil(until, REMOVED_MAX))) === REMOVED_MAX);
    } catch (error) {
      onError(error);
    } finally {
      isSweeping = false;
    }
  };
  return { sweep, stop: every(SWEEP_MS, () => void sweep()) };
}

/** Dependencies of a sweeper. */
export interface SweeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly window_s: number;
  /** Whether the clock is known to be wrong: nothing is removed then. */
  readonly isClockWrong?: () => boolean;
  /** Is told why nonces could not be removed; they are removed later. */
  readonly onError: (error: unknown) => void;
}
