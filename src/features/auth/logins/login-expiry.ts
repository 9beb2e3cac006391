import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../../contract/store/jobs.ts';
import { SESSION_IDLE_S } from '../../../contract/store/logins.ts';

const NAME = 'login-expiry';
/** How often what is over is looked for, in seconds. */
const PERIOD_S = 600;
/** Rows that are removed in one unit: others wait for it. */
const REMOVED_AT_ONCE = 2000;
/** More tallies of failed logins are not kept: those that end first go first. */
const TALLIES_MAX = 200_000;

/** The job that removes sessions, links and tallies of failed logins; it is planned once, and then plans itself. */
export function loginExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'all', run_at };
}

/** Removes, piece by piece, sessions that are idle, links that set passwords no more, and failed logins long past. */
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
