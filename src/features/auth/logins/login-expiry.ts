import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import { SESSION_IDLE_S } from '../../../contract/store/logins.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../../platform/expiry-job.ts';

/** Maximum number of stored login tallies; those that end first are removed first. @source decision 505 */
const TALLIES_MAX = 200_000;

/** Retention of the answer to a form. @source decision 1100 */
export const SENT_FORM_S = 86_400;

/** Removes idle sessions, old forms, and expired password links, operator links and login tallies. */
export const loginExpiry = expiryJob<string>({
  name: 'login-expiry',
  key: 'all',
  period_s: 600,
  // Logins are dated by the wall clock.
  settingOf: ({ wallClock }) => formatInstant(wallClock.now()),
  async remove(tx, now) {
    const now_s = instantMs(now) / 1000;
    const idleSince = addSeconds(now, -SESSION_IDLE_S);
    const removed = [
      await tx.removeOldest('password_links', now, REMOVED_AT_ONCE),
      await tx.removeOldest('operator_links', now, REMOVED_AT_ONCE),
      await tx.removeOldest('sessions', idleSince, REMOVED_AT_ONCE),
      await tx.removeOldest('operator_sessions', idleSince, REMOVED_AT_ONCE),
      await tx.removeOldest('sent_forms', addSeconds(now, -SENT_FORM_S), REMOVED_AT_ONCE),
      await tx.removeOldest('login_tallies', now_s + 1, REMOVED_AT_ONCE),
    ];
    const tooMany = Math.min((await tx.loginTallies.count()) - TALLIES_MAX, REMOVED_AT_ONCE);
    if (tooMany <= 0) return removed;
    return [...removed, await tx.removeOldest('login_tallies', Number.MAX_SAFE_INTEGER, tooMany)];
  },
});
