import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../../contract/store/jobs.ts';
import { SESSION_IDLE_S } from '../../../contract/store/logins.ts';

const NAME = 'login-expiry';
/** Seconds between two runs. */
const PERIOD_S = 600;
/** Rows that one unit of work removes at most, because other writes wait for it. */
const REMOVED_AT_ONCE = 2000;
/** Login tallies that are stored at most; those that end first are removed first. @source decision 505 */
const TALLIES_MAX = 200_000;

/** The job that removes ended sessions, password links and login tallies. It is planned once, then plans itself. */
export function loginExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'all', run_at };
}

/** Removes idle sessions, ended password links and ended login tallies, in batches. */
export const loginExpiry: JobKind<void> = {
  name: NAME,
  prepare: async () => {},
  async store(tx, _, __, now) {
    const now_s = Math.floor(instantMs(now) / 1000);
    const removed = [
      await tx.passwordLinks.removeEnded(now),
      await tx.sessions.removeIdle(formatInstant((now_s - SESSION_IDLE_S) * 1000), REMOVED_AT_ONCE),
      await tx.loginTallies.removeEnded(now_s, REMOVED_AT_ONCE),
    ];
    const tooMany = Math.min((await tx.loginTallies.count()) - TALLIES_MAX, REMOVED_AT_ONCE);
    if (tooMany > 0) await tx.loginTallies.removeFirst(tooMany);
    const isMore = removed.includes(REMOVED_AT_ONCE) || tooMany === REMOVED_AT_ONCE;
    await tx.jobs.plan(loginExpiryAt(isMore ? now : formatInstant((now_s + PERIOD_S) * 1000)));
    return removed.reduce((sum, rows) => sum + rows);
  },
};
