import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import type { Sender } from '../../../contract/services/sending.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store, WriteTransaction } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type Webhook } from '../../../contract/store/webhooks.ts';
import { type ChallengeVerdict, challengeOf, judge } from './challenge.ts';

/** An answer is good for a day; then it is asked for every half hour. @source activity gaps 19.3 */
export const GOOD_FOR_S = 24 * 3600;
const AGAIN_S = 1800;
/** Who has not answered for this long is not sent anything any more. @source activity gaps 19.3 */
const FAILING_MAX_S = 28 * 3600;

/** What challenging needs. */
export interface ChallengeParts {
  readonly store: Store;
  readonly box: SecretBox;
  readonly activity: { readonly sender: Sender };
  readonly secrets: Random;
}

/** Challenges an address in the name of an application. Never inside a unit of work. */
export async function challenge(
  { store, box, activity: { sender }, secrets }: ChallengeParts,
  application: string,
  url: string,
): Promise<ChallengeVerdict> {
  const row = await store.read((tx) => tx.credentials.findApplication(application));
  const consumerSecret = box.open(row!.consumer_secret, secretContext.application(application));
  const made = challengeOf({ url, consumerSecret, random: secrets });
  return judge(made, consumerSecret, await sender.send(made.request));
}

/**
 * Stores what a challenge has shown of a webhook; undefined when the webhook is gone.
 * @source activity gaps 19.3
 */
export async function applyVerdict(
  tx: WriteTransaction,
  id: string,
  verdict: ChallengeVerdict,
  now: string,
): Promise<Webhook | undefined> {
  const webhook = await tx.webhooks.lock(id);
  if (!webhook) return undefined;
  const later = (seconds: number): string => formatInstant(instantMs(now) + seconds * 1000);
  if (verdict.is === 'right') {
    const changes = { valid: 1, validated_at: now, failing_since: null, failure: null } as const;
    await tx.webhooks.change(id, changes);
    await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: later(GOOD_FOR_S) });
    // What was under way when it became invalid may wait to be tried again, and its job was called off.
    const next = await tx.webhookDeliveries.findNext(id, '');
    if (next !== undefined) await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key: id, run_at: next });
    return { ...webhook, ...changes };
  }
  const failing_since = webhook.failing_since ?? now;
  const isOver = instantMs(now) - instantMs(failing_since) >= FAILING_MAX_S * 1000;
  if (verdict.is === 'wrong' || (webhook.valid && isOver)) return invalidate(tx, id, verdict.reason);
  const changes = { failing_since, failure: verdict.reason };
  await tx.webhooks.change(id, changes);
  if (webhook.valid) await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key: id, run_at: later(AGAIN_S) });
  return { ...webhook, ...changes };
}

/** Sends a webhook nothing more until it is validated again. What was on its way is given up. @source activity gaps 19.3 */
export async function invalidate(tx: WriteTransaction, id: string, failure: string): Promise<Webhook | undefined> {
  const webhook = await tx.webhooks.lock(id);
  if (!webhook) return undefined;
  const changes = { valid: 0, failing_since: null, failure } as const;
  await tx.webhooks.change(id, changes);
  await tx.webhookDeliveries.giveUp(id);
  await tx.jobs.cancel(WEBHOOK_JOBS.check, id);
  await tx.jobs.cancel(WEBHOOK_JOBS.retry, id);
  return { ...webhook, ...changes };
}

/** How a call named the webhook that it is about. */
export interface NamedWebhook {
  readonly parameter: 'url' | 'webhook_id';
  /** The value, as it was given. */
  readonly raw: string;
}

/**
 * Challenges a webhook now, valid or not, and stores what that has shown; undefined when it was removed meanwhile. Never
 * inside a unit of work.
 * @source activity gaps 19.1 and 19.3
 */
export async function challengeNow(
  parts: ChallengeParts & { readonly clock: Clock },
  { id, application_id, url }: Pick<Webhook, 'id' | 'application_id' | 'url'>,
): Promise<ChallengeVerdict | undefined> {
  const verdict = await challenge(parts, application_id, url);
  const now = formatInstant(parts.clock.now());
  const webhook = await parts.store.write((tx) => applyVerdict(tx, id, verdict, now));
  return webhook && verdict;
}

/**
 * Refuses a call because of what a challenge has shown. The caller is told fixed words; what the receiver said, or the
 * machine, is a hint that stays in development.
 * @throws WEBHOOK_CRC_FAILED, WEBHOOK_URL_INVALID
 */
export function insistOnAnswer(verdict: ChallengeVerdict, { parameter, raw }: NamedWebhook): void {
  const { is, isUnreachable, reason, diagnosis } = verdict;
  if (is === 'right') return;
  const words = { raw, reason, why: 'the host of the url cannot be reached' };
  const error = { problem: isUnreachable ? 'WEBHOOK_URL_INVALID' : 'WEBHOOK_CRC_FAILED', parameter, words } as const;
  throw new Problem([error], { because: reason, hint: diagnosis });
}
