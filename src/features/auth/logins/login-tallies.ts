import type { LoginTally } from '../../../contract/store/logins.ts';

/** How failures under one key limit further attempts. */
export type LoginRule =
  /**
   * `max` failures within 15 minutes lock the key for 15 minutes, and twice as long each time it happens again within a
   * day.
   */
  | { readonly kind: 'lock'; readonly max: number }
  /** `max` failures are allowed at once; after that, one every `each_s` seconds. */
  | { readonly kind: 'drain'; readonly max: number; readonly each_s: number };

const WINDOW_S = 900;
/** A lock within this time of the end of the last one lasts longer. @source decision 78 */
const REMEMBERED_S = 86_400;
const DOUBLINGS_MAX = 5;

/** The tally before any failure. */
export const EMPTY_TALLY: Omit<LoginTally, 'id'> = { failures: 0, since_s: 0, locked_until_s: 0, locks: 0, ends_s: 0 };

/** The tally after one more attempt, which counts as failed until it is undone; or the seconds to wait. */
export function countAttempt(
  tally: LoginTally,
  rule: LoginRule,
  now_s: number,
): { readonly tally: LoginTally; readonly isLocking: boolean } | { readonly wait_s: number } {
  const known = since(tally, now_s);
  return rule.kind === 'lock' ? lockedBy(known, rule.max, now_s) : drained(known, rule, now_s);
}

/**
 * Moves a tally that begins in the future to now: the clock was set back, which must not lengthen the wait.
 * @source decision 613
 */
function since(tally: LoginTally, now_s: number): LoginTally {
  const ahead_s = tally.since_s - now_s;
  if (ahead_s <= 0) return tally;
  const { locked_until_s, ends_s } = tally;
  return { ...tally, since_s: now_s, locked_until_s: Math.max(0, locked_until_s - ahead_s), ends_s: ends_s - ahead_s };
}

/** The tally after an attempt has succeeded. */
export function undoAttempt(tally: LoginTally, rule: LoginRule, isLocking: boolean): LoginTally {
  if (rule.kind === 'drain') return { ...tally, failures: Math.max(0, tally.failures - 1) };
  return { ...tally, failures: 0, ...(isLocking && { locked_until_s: 0, locks: Math.max(0, tally.locks - 1) }) };
}

function lockedBy(known: LoginTally, max: number, now_s: number): ReturnType<typeof countAttempt> {
  const { id } = known;
  const isOver = now_s >= known.ends_s;
  const isNewWindow = now_s >= known.since_s + WINDOW_S && now_s >= known.locked_until_s;
  const fresh = { failures: 0, since_s: now_s };
  const tally = isOver ? { ...EMPTY_TALLY, id, ...fresh } : isNewWindow ? { ...known, ...fresh } : known;
  if (tally.locked_until_s > now_s) return { wait_s: tally.locked_until_s - now_s };
  const failures = tally.failures + 1;
  const isLocking = failures >= max;
  const lock_s = WINDOW_S * 2 ** Math.min(tally.locks, DOUBLINGS_MAX);
  const locked_until_s = isLocking ? now_s + lock_s : tally.locked_until_s;
  const locks = tally.locks + (isLocking ? 1 : 0);
  const ends_s = Math.max(tally.since_s + WINDOW_S, locks > 0 ? locked_until_s + REMEMBERED_S : 0);
  return { tally: { ...tally, failures, locked_until_s, locks, ends_s }, isLocking };
}

function drained(
  known: LoginTally,
  { max, each_s }: Extract<LoginRule, { kind: 'drain' }>,
  now_s: number,
): ReturnType<typeof countAttempt> {
  const gone = Math.max(0, Math.floor((now_s - known.since_s) / each_s));
  const left = Math.max(0, known.failures - gone);
  const since_s = left === 0 ? now_s : known.since_s + gone * each_s;
  if (left >= max) return { wait_s: Math.max(1, since_s + each_s - now_s) };
  const failures = left + 1;
  return { tally: { ...known, failures, since_s, ends_s: since_s + failures * each_s }, isLocking: false };
}
