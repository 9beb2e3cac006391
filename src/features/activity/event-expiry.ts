import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import { CONNECTION_HISTORY_S } from './stream/streams.ts';

const JOB_NAME = 'event-expiry';
/** Seconds between two runs. */
const PERIOD_S = 600;
/** Rows removed in one unit of work: other writers wait for it. */
const ROWS_PER_UNIT = 2000;

/** The job that expires events and ended connections; it is planned once and then reschedules itself. */
export function eventExpiryJob(run_at: string): PlannedJob {
  return { kind: JOB_NAME, key: 'log', run_at };
}

/**
 * Removes events older than the retention and connections older than the history, a few thousand rows at a time.
 * @source activity gaps 16.8 and 21.1; decision 327, 377
 */
export const eventExpiry: JobKind<number> = {
  name: JOB_NAME,
  prepare: async (_, { activity: { rules: activityRules } }) => activityRules.retention_s,
  async store(tx, _, retention_s, now) {
    const since = formatMillisecond(instantMs(now) - CONNECTION_HISTORY_S * 1000);
    const removed = [
      await tx.streamConnections.removeEnded(since, ROWS_PER_UNIT),
      await tx.events.removeBefore(secondsAfter(now, -retention_s), ROWS_PER_UNIT),
    ];
    await tx.jobs.plan(eventExpiryJob(removed.includes(ROWS_PER_UNIT) ? now : secondsAfter(now, PERIOD_S)));
    return removed.reduce((sum, rows) => sum + rows);
  },
};

function secondsAfter(instant: string, seconds: number): string {
  return formatInstant(instantMs(instant) + seconds * 1000);
}
