import type { Clock } from '../../base/clock.ts';

/** How many failed logins are let through in 15 minutes. @source authentication gaps 13 */
export interface LoginLimits {
  readonly login_failures_per_account: number;
  readonly login_failures_per_address: number;
}

/** Counts logins that fail. An attempt counts as failed until it is taken back, so that none slips by in parallel. */
export interface LoginThrottle {
  /** Seconds to wait when there were too many; otherwise what takes the attempt back. */
  begin(account: string, address: string): { readonly wait_s: number } | { succeed(): void };
}

const WINDOW_S = 900;
/** An account whose lock came again this soon is locked for longer. */
const REMEMBERED_S = 86_400;
const DOUBLINGS_MAX = 5;
/** Beyond this many keys those whose time is over are forgotten. */
const KEYS_KEPT = 10_000;

interface Tally {
  failures: number;
  opened_s: number;
  locked_until_s: number;
  locks: number;
}

/** A throttle in this process. */
export function loginThrottle(limits: LoginLimits, clock: Clock): LoginThrottle {
  const tallies = new Map<string, Tally>();
  const tallyOf = (key: string, now_s: number): Tally => {
    const known = tallies.get(key);
    if (!known) {
      if (tallies.size >= KEYS_KEPT) forget(tallies, now_s);
      const made = { failures: 0, opened_s: now_s, locked_until_s: 0, locks: 0 };
      tallies.set(key, made);
      return made;
    }
    if (isOver(known, now_s)) Object.assign(known, { opened_s: now_s, locked_until_s: 0, locks: 0, failures: 0 });
    else if (now_s >= known.opened_s + WINDOW_S && now_s >= known.locked_until_s) {
      Object.assign(known, { opened_s: now_s, failures: 0 });
    }
    return known;
  };
  return {
    begin(account, address) {
      const now_s = Math.floor(clock.now() / 1000);
      const own = tallyOf(`account ${account}`, now_s);
      const from = tallyOf(`address ${address}`, now_s);
      const wait_s = Math.max(
        own.locked_until_s - now_s,
        from.failures >= limits.login_failures_per_address ? from.opened_s + WINDOW_S - now_s : 0,
      );
      if (wait_s > 0) return { wait_s };
      own.failures += 1;
      from.failures += 1;
      const before = { until: own.locked_until_s, locks: own.locks };
      if (own.failures >= limits.login_failures_per_account) {
        own.locked_until_s = now_s + WINDOW_S * 2 ** Math.min(own.locks, DOUBLINGS_MAX);
        own.locks += 1;
      }
      return {
        succeed() {
          own.failures = 0;
          own.locked_until_s = before.until;
          own.locks = before.locks;
          from.failures = Math.max(0, from.failures - 1);
        },
      };
    },
  };
}

function isOver({ opened_s, locked_until_s, locks }: Tally, now_s: number): boolean {
  return now_s >= Math.max(opened_s + WINDOW_S, locks > 0 ? locked_until_s + REMEMBERED_S : 0);
}

function forget(tallies: Map<string, Tally>, now_s: number): void {
  for (const [key, tally] of tallies) if (isOver(tally, now_s)) tallies.delete(key);
}
