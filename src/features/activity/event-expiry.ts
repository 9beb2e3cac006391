import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../platform/expiry-job.ts';
import { CONNECTION_HISTORY_S } from './stream/streams.ts';

/**
 * Removes events older than the retention, except those that a webhook may still need, direct messages as old with the
 * marks of those who read them, and connections older than the history.
 * @source activity 16.8 and 21.1; decision 327, 377, 776, 1210
 */
export const eventExpiry = expiryJob<number>({
  name: 'event-expiry',
  key: 'log',
  period_s: 600,
  settingOf: ({ activity }) => activity.rules.retention_s,
  async remove(tx, retention_s, now) {
    const now_ms = instantMs(now);
    const settled = (await tx.webhookLeases.findSettled()) ?? Number.MAX_SAFE_INTEGER;
    const before = formatInstant(now_ms - retention_s * 1000);
    return [
      await tx.removeOldest(
        'stream_connections',
        formatMillisecond(now_ms - CONNECTION_HISTORY_S * 1000),
        REMOVED_AT_ONCE,
      ),
      await tx.removeOldest('events', before, REMOVED_AT_ONCE, { position: ['<=', settled] }),
      await tx.removeOldest('messages', before, REMOVED_AT_ONCE),
      await tx.messages.removeOldMarks(REMOVED_AT_ONCE),
    ];
  },
});
