import { formatInstant, instantMs } from '../base/instants.ts';
import type { JobKind, PlannedJob } from '../contract/jobs.ts';

const NAME = 'event-expiry';
/** How often what is too old is looked for, in seconds. */
const PERIOD_S = 600;
/** Events that are removed in one unit: others wait for it. */
const REMOVED_AT_ONCE = 2000;

/** The job that keeps the log of events short; it is planned once, and then plans itself. */
export function eventExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'log', run_at };
}

/** Removes events that are older than the settings say, piece by piece. @source activity gaps 16.8 */
export const eventExpiry: JobKind<number> = {
  name: NAME,
  outside: async (_, { activityRules }) => activityRules.retention_s,
  async store(tx, _, retention_s, now) {
    const removed = await tx.events.removeBefore(secondsAfter(now, -retention_s), REMOVED_AT_ONCE);
    await tx.jobs.plan(eventExpiryAt(removed === REMOVED_AT_ONCE ? now : secondsAfter(now, PERIOD_S)));
  },
};

function secondsAfter(instant: string, seconds: number): string {
  return formatInstant(instantMs(instant) + seconds * 1000);
}
