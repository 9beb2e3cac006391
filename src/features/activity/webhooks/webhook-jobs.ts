import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import { WEBHOOK_JOBS } from '../../../contract/store/webhooks.ts';
import type { ChallengeResult } from './challenge.ts';
import { challengeUrl, storeResult } from './validity.ts';

/** Challenges a valid webhook again. @source activity gaps 19.3; decision 390 */
export const webhookCheck: JobKind<ChallengeResult | undefined> = {
  name: WEBHOOK_JOBS.check,
  callsOtherServers: true,
  async prepare({ key }, services) {
    const webhook = await services.store.read((tx) => tx.webhooks.find(key));
    if (webhook?.valid) return challengeUrl(services, webhook.application_id, webhook.url);
  },
  async store(tx, { key }, verdict, now) {
    if (verdict) await storeResult(tx, key, verdict, now);
  },
};

/**
 * Resumes the deliveries of a webhook, and stays planned for the next one that is due. Deliveries have rows of their
 * own: this job does not wait for the receiver.
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
const CLEANING_PERIOD_S = 600;
const ROWS_PER_UNIT = 2000;
/** How long ended replays are kept. @source decision 402 */
const REPLAYS_KEPT_S = 7 * 86_400;

/** The cleaning job, planned when a server starts unless it is planned already. */
export const WEBHOOK_CLEANING = { kind: CLEANING, key: 'all' } as const;

/** Removes deliveries of expired events, ended replays, and deliveries of removed webhooks. @source decision 403 */
export const webhookCleaning: JobKind<number> = {
  name: CLEANING,
  prepare: async (_, { activity: { rules: activityRules } }) => activityRules.retention_s,
  async store(tx, { kind, key }, retention_s, now) {
    const before = (seconds: number): string => formatInstant(instantMs(now) - seconds * 1000);
    const position = await tx.events.findBefore(before(retention_s));
    const removed = await tx.webhookDeliveries.removeUpTo(position, ROWS_PER_UNIT);
    await tx.replays.removeBefore(before(REPLAYS_KEPT_S));
    for (const { webhook_id } of await tx.webhookDeliveries.listWaiting()) {
      if (!(await tx.webhooks.find(webhook_id))) await tx.webhookDeliveries.giveUp(webhook_id);
    }
    // There may be more; the rest follows in small units, so that other writers do not wait.
    const wait_s = removed === ROWS_PER_UNIT ? 1 : CLEANING_PERIOD_S;
    await tx.jobs.plan({ kind, key, run_at: before(-wait_s) });
    return removed;
  },
};
