import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import { WEBHOOK_JOBS } from '../../../contract/store/webhooks.ts';
import type { ChallengeVerdict } from './challenge.ts';
import { applyVerdict, challenge } from './validity.ts';

/** Asks a webhook whether it still answers. @source activity gaps 19.3 */
export const webhookCheck: JobKind<ChallengeVerdict | undefined> = {
  name: WEBHOOK_JOBS.check,
  callsOtherServers: true,
  async prepare({ key }, services) {
    const webhook = await services.store.read((tx) => tx.webhooks.find(key));
    if (webhook?.valid) return challenge(services, webhook.application_id, webhook.url);
  },
  async store(tx, { key }, verdict, now) {
    if (verdict) await applyVerdict(tx, key, verdict, now);
  },
};

/**
 * Wakes up what sends to a webhook, and stays planned for when the next of its deliveries is due. What is to be sent is
 * kept by itself: nobody waits here for the receiver.
 */
export const webhookRetry: JobKind<string> = {
  name: WEBHOOK_JOBS.retry,
  async prepare({ key }, { activity: { webhooks }, clock }) {
    const now = formatInstant(clock.now());
    webhooks.resume(key);
    return now;
  },
  async store(tx, { kind, key }, since) {
    const next = await tx.webhookDeliveries.findNext(key, since);
    if (next !== undefined) await tx.jobs.planNoLaterThan({ kind, key, run_at: next });
  },
  bringForward: (tx, now, after) => tx.webhookDeliveries.bringForward(now, after),
};

const CLEANING = 'webhook cleaning';
const CLEANED_EVERY_S = 600;
const REMOVED_AT_ONCE = 2000;
/** Who asks what became of a replay asks within days. */
const REPLAYS_KEPT_S = 7 * 86_400;

/** The job that is planned when a service starts, if it is not already. */
export const WEBHOOK_CLEANING = { kind: CLEANING, key: 'all' } as const;

/** Forgets deliveries with the events that they tell of. */
export const webhookCleaning: JobKind<number> = {
  name: CLEANING,
  prepare: async (_, { activity: { rules: activityRules } }) => activityRules.retention_s,
  async store(tx, { kind, key }, retention_s, now) {
    const before = (seconds: number): string => formatInstant(instantMs(now) - seconds * 1000);
    const position = await tx.events.findBefore(before(retention_s));
    const removed = await tx.webhookDeliveries.removeUpTo(position, REMOVED_AT_ONCE);
    await tx.replays.removeBefore(before(REPLAYS_KEPT_S));
    for (const { webhook_id } of await tx.webhookDeliveries.listWaiting()) {
      if (!(await tx.webhooks.find(webhook_id))) await tx.webhookDeliveries.giveUp(webhook_id);
    }
    // There may be more: what is left is removed by and by, so that nobody waits for it.
    const wait_s = removed === REMOVED_AT_ONCE ? 1 : CLEANED_EVERY_S;
    await tx.jobs.plan({ kind, key, run_at: before(-wait_s) });
    return removed;
  },
};
