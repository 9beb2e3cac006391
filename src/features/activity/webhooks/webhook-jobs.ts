import { addSeconds } from '../../../base/instants.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import { type ReplayStep, WEBHOOK_JOBS } from '../../../contract/store/webhooks.ts';
import type { ChallengeResult } from './challenge.ts';
import { challengeUrl, storeResult } from './validity.ts';

/** Challenges a valid webhook again. @source activity 19.3; decision 390 */
export const webhookCheck: JobKind<ChallengeResult | undefined> = {
  name: WEBHOOK_JOBS.check,
  lane: 'remote',
  async prepare({ key }, services, signal) {
    const webhook = await services.store.read((tx) => tx.webhooks.find(key));
    signal.throwIfAborted();
    if (!webhook?.valid) return undefined;
    const verdict = await challengeUrl(services, webhook.application_id, webhook.url);
    signal.throwIfAborted();
    return verdict;
  },
  async store(tx, { key }, verdict, now) {
    if (verdict) await storeResult(tx, key, verdict, now);
  },
};

/**
 * Tells the node that holds a webhook that deliveries are due, and stays planned for the next one. Deliveries have rows
 * of their own: this job does not wait for the receiver. A node that takes the webhook later looks by itself.
 * @source decision 773
 */
export const webhookRetry: JobKind = {
  name: WEBHOOK_JOBS.retry,
  async store(tx, { kind, key }, _, now) {
    tx.invalidate(`delivery:${key}`);
    const next = await tx.webhookDeliveries.findNext(key, now);
    if (next !== undefined) await tx.jobs.planNoLaterThan({ kind, key, run_at: next });
  },
  bringForward: (tx, now, after) => tx.webhookDeliveries.bringForward(now, after),
};

/** Runs a part of a replay, and stays planned until the replay has ended. @source decision 774 */
export const webhookReplay: JobKind<ReplayStep | undefined> = {
  name: WEBHOOK_JOBS.replay,
  lane: 'remote',
  prepare: ({ key }, { activity: { webhooks } }, signal) => webhooks.replay(key, signal),
  async store(tx, { kind, key }, step, now) {
    if (!step) return;
    await tx.replays.change(key, step.changes);
    if (step.changes.state === undefined) await tx.jobs.plan({ kind, key, run_at: now });
  },
};

const CLEANING = 'webhook cleaning';
const CLEANING_PERIOD_S = 600;
const ROWS_PER_UNIT = 2000;
/** How long ended replays are kept. @source decision 402 */
export const REPLAYS_KEPT_S = 7 * 86_400;

/** The cleaning job, planned when a server starts unless it is planned already. */
export const WEBHOOK_CLEANING = { kind: CLEANING, key: 'all' } as const;

/** Removes deliveries of expired events, ended replays, and deliveries of removed webhooks. @source decision 403 */
export const webhookCleaning: JobKind<number> = {
  name: CLEANING,
  isHousekeeping: true,
  prepare: async (_, { activity: { rules: activityRules } }) => activityRules.retention_s,
  async store(tx, { kind, key }, retention_s, now) {
    const before = (seconds: number): string => addSeconds(now, -seconds);
    const expired = await tx.events.findBefore(before(retention_s));
    // A node that reads the log again must know which deliveries were sent.
    const position = Math.min(expired, (await tx.webhookLeases.findSettled()) ?? expired);
    const removed = await tx.webhookDeliveries.removeUpTo(position, ROWS_PER_UNIT);
    await tx.removeOldest('replays', before(REPLAYS_KEPT_S), ROWS_PER_UNIT);
    for (const { webhook_id } of await tx.webhookDeliveries.listWaiting()) {
      if (!(await tx.webhooks.find(webhook_id))) await tx.webhookDeliveries.giveUp(webhook_id);
    }
    // There may be more; the rest follows in small units, so that other writers do not wait.
    const wait_s = removed === ROWS_PER_UNIT ? 1 : CLEANING_PERIOD_S;
    await tx.jobs.plan({ kind, key, run_at: before(-wait_s) });
    return removed;
  },
};
