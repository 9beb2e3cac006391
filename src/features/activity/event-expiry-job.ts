import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import { HISTORY_S } from './stream/streams.ts';

const NAME = 'event-expiry';
/** How often what is too old is looked for, in seconds. */
const PERIOD_S = 600;
/** Events, or connections, that are removed in one unit: others wait for it. */
const REMOVED_AT_ONCE = 2000;

/** The job that keeps the log of events and the list of streams that ended short; it is planned once, and then plans itself. */
export function eventExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'log', run_at };
}

/**
 * Removes, piece by piece, events that are older than the settings say and connections that are told of no more.
 * @source activity gaps 16.8 and 21.1
 */
export const eventExpiry: JobKind<number> = {
  name: NAME,
  prepare: async (_, { activity: { rules: activityRules } }) => activityRules.retention_s,
  async store(tx, _, retention_s, now) {
    const since = formatMillisecond(instantMs(now) - HISTORY_S * 1000);
    const removed = [
      await tx.streamConnections.removeEnded(since, REMOVED_AT_ONCE),
      await tx.events.removeBefore(secondsAfter(now, -retention_s), REMOVED_AT_ONCE),
    ];
    await tx.jobs.plan(eventExpiryAt(removed.includes(REMOVED_AT_ONCE) ? now : secondsAfter(now, PERIOD_S)));
    return removed.reduce((sum, rows) => sum + rows);
  },
};

function secondsAfter(instant: string, seconds: number): string {
  return formatInstant(instantMs(instant) + seconds * 1000);
}
