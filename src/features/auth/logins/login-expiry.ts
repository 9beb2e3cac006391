import { formatInstant, instantMs } from '../../../base/instants.ts';
import { SESSION_IDLE_S } from '../../../contract/store/logins.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../../platform/expiry-job.ts';

/** Login tallies that are stored at most; those that end first are removed first. @source decision 505 */
const TALLIES_MAX = 200_000;

/** How long the answer to a form is kept. @source decision 1100 */
export const SENT_FORM_S = 86_400;

/**
 * Removes idle sessions of users and operators, forms of the day before, and password links, links of operators and login
 * tallies that have ended.
 */
export const loginExpiry = expiryJob<string>({
  name: 'login-expiry',
  key: 'all',
  period_s: 600,
  // Logins are dated by the wall clock.
  settingOf: ({ wallClock }) => formatInstant(wallClock.now()),
  async remove(tx, now) {
    const now_s = Math.floor(instantMs(now) / 1000);
    const idleSince = formatInstant((now_s - SESSION_IDLE_S) * 1000);
    const removed = [
      await tx.passwordLinks.removeEnded(now, REMOVED_AT_ONCE),
      await tx.operatorLinks.removeEnded(now, REMOVED_AT_ONCE),
      await tx.sessions.removeIdle(idleSince, REMOVED_AT_ONCE),
      await tx.operatorSessions.removeIdle(idleSince, REMOVED_AT_ONCE),
      await tx.sentForms.removeSent(formatInstant((now_s - SENT_FORM_S) * 1000), REMOVED_AT_ONCE),
      await tx.loginTallies.removeEnded(now_s, REMOVED_AT_ONCE),
    ];
    const tooMany = Math.min((await tx.loginTallies.count()) - TALLIES_MAX, REMOVED_AT_ONCE);
    if (tooMany <= 0) return removed;
    return [...removed, await tx.loginTallies.removeFirst(tooMany)];
  },
});
