import type { Clock } from '../../../base/clock.ts';
import { addSeconds, formatInstant, instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { Sender } from '../../../contract/services/sending.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import { WEBHOOK_JOBS, type Webhook, type WebhookSettings } from '../../../contract/store/webhooks.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { type ChallengeResult, checkResponse, createChallenge } from './challenge.ts';

/**
 * A passed challenge is valid for a day; while unanswered, it is repeated every half hour.
 * @source activity 19.3
 */
export const VALID_FOR_S = 24 * 3600;
const RECHECK_S = 1800;
/** A webhook that has not answered challenges for this long becomes invalid. @source activity 19.3 */
const FAILING_MAX_S = 28 * 3600;

/** Dependencies of challenges. */
export interface ChallengeDependencies {
  readonly store: Store;
  readonly box: SecretBox;
  readonly activity: { readonly sender: Sender; readonly webhookRules: Pick<WebhookSettings, 'challengeNames'> };
  readonly secrets: Random;
}

/** Challenges a URL for an application. Not inside a unit of work. */
export async function challengeUrl(
  { store, box, activity: { sender, webhookRules }, secrets }: ChallengeDependencies,
  application: string,
  url: string,
): Promise<ChallengeResult> {
  const row = await store.read((tx) => tx.credentials.findApplication(application));
  const consumerSecret = box.open(row!.consumer_secret, secretContext.application(application));
  const made = createChallenge({ url, consumerSecret, random: secrets, names: webhookRules.challengeNames });
  return checkResponse(made, consumerSecret, await sender.send(made.request));
}

/**
 * Stores the result of a challenge; returns the webhook, undefined when it was removed.
 * @source activity 19.3; decision 389
 */
export async function storeResult(
  tx: WriteTransaction,
  id: string,
  verdict: ChallengeResult,
  now: string,
): Promise<Webhook | undefined> {
  const webhook = await tx.webhooks.lock(id);
  if (!webhook) return undefined;
  const later = (seconds: number): string => addSeconds(now, seconds);
  if (verdict.outcome === 'passed') {
    const changes = { valid: 1, validated_at: now, failing_since: null, failure: null } as const;
    await tx.webhooks.change(id, changes);
    await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: later(VALID_FOR_S) });
    // Deliveries that were in flight when it became invalid may wait for a retry whose job was cancelled.
    const next = await tx.webhookDeliveries.findNext(id, '');
    if (next !== undefined) await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key: id, run_at: next });
    return { ...webhook, ...changes };
  }
  const failing_since = webhook.failing_since ?? now;
  const isOver = instantMs(now) - instantMs(failing_since) >= FAILING_MAX_S * 1000;
  if (verdict.outcome === 'failed' || (webhook.valid && isOver)) return markInvalid(tx, id, verdict.reason);
  const changes = { failing_since, failure: verdict.reason };
  await tx.webhooks.change(id, changes);
  if (webhook.valid) await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: later(RECHECK_S) });
  return { ...webhook, ...changes };
}

/**
 * Makes a webhook invalid until it is validated again; gives up its pending deliveries.
 * @source activity 19.3; decision 394
 */
export async function markInvalid(tx: WriteTransaction, id: string, failure: string): Promise<Webhook | undefined> {
  const webhook = await tx.webhooks.lock(id);
  if (!webhook) return undefined;
  const changes = { valid: 0, failing_since: null, failure } as const;
  await tx.webhooks.change(id, changes);
  await tx.webhookDeliveries.giveUp(id);
  await tx.jobs.cancel(WEBHOOK_JOBS.check, id);
  await tx.jobs.cancel(WEBHOOK_JOBS.retry, id);
  return { ...webhook, ...changes };
}

/** The parameter by which the call named the webhook. @source decision 410 */
export interface WebhookReference {
  readonly parameter: 'url' | 'webhook_id';
  /** The value as sent. */
  readonly raw: string;
}

/**
 * Challenges a webhook now, valid or not, and stores the result; undefined when it was removed meanwhile. Not inside a
 * unit of work.
 * @source activity 19.1 and 19.3
 */
export async function challengeWebhook(
  parts: ChallengeDependencies & { readonly clock: Clock },
  { id, application_id, url }: Pick<Webhook, 'id' | 'application_id' | 'url'>,
): Promise<ChallengeResult | undefined> {
  const verdict = await challengeUrl(parts, application_id, url);
  const now = formatInstant(parts.clock.now());
  const webhook = await parts.store.write((tx) => storeResult(tx, id, verdict, now));
  return webhook && verdict;
}

/**
 * Throws unless a challenge passed. The problem has a fixed text; details of the response or the network are in its
 * hint, which is sent in development only.
 * @throws WEBHOOK_CRC_FAILED, WEBHOOK_URL_INVALID
 * @source decision 386
 */
export function requireSuccess(verdict: ChallengeResult, { parameter, raw }: WebhookReference): void {
  const { outcome, isUnreachable, reason, diagnosis } = verdict;
  if (outcome === 'passed') return;
  const words = { raw, reason, why: 'the host of the url cannot be reached' };
  const error = { problem: isUnreachable ? 'WEBHOOK_URL_INVALID' : 'WEBHOOK_CRC_FAILED', parameter, words } as const;
  throw new Problem([error], { because: reason, hint: diagnosis });
}
