import type { Clock } from '../../../base/clock.ts';
import { addSeconds } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import { WEBHOOK_JOBS, type WebhookAdministration, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { failureText } from './challenge.ts';
import { newWebhookSecret } from './signing.ts';
import { type ChallengeDependencies, challengeWebhook } from './validity.ts';

/**
 * Challenges a webhook for the owner of the application. Details of the receiver's response are reported in development
 * only.
 * @source activity 19.1 and 21.4; decision 411
 */
export function createValidate(
  parts: ChallengeDependencies & { readonly clock: Clock },
  { tellsHints }: { readonly tellsHints: boolean },
): WebhookAdministration['validate'] {
  return async (webhook) => {
    const verdict = await challengeWebhook(parts, webhook);
    if (!verdict) return undefined;
    if (verdict.outcome === 'passed') return { hasPassed: true, reason: '' };
    return { hasPassed: false, reason: tellsHints ? failureText(verdict) : verdict.reason };
  };
}

/** How long a replaced secret keeps signing. */
const OVERLAP_S = 86_400;

/**
 * Gives a webhook a new signing secret; the previous one signs as well for a day, so that receivers can switch over.
 * Returns the secret, which is shown once; undefined when the webhook does not exist.
 * @source activity 21.5; decision 404
 */
export async function rotateSecret(
  {
    tx,
    box,
    random,
    now,
  }: { readonly tx: WriteTransaction; readonly box: SecretBox; readonly random: Random; readonly now: string },
  id: string,
): Promise<string | undefined> {
  const webhook = await tx.webhooks.lock(id);
  if (!webhook) return undefined;
  const secret = newWebhookSecret(random);
  await tx.webhooks.change(id, {
    secret: box.seal(secret, secretContext.webhook(id)),
    former_secret: webhook.secret,
    former_until: addSeconds(now, OVERLAP_S),
  });
  return secret;
}

const MESSAGE_ID = /^msg_\d{2}(\d{17})_\d{1,19}$/;

/** The delivery with a message id. */
export async function findDelivery(
  tx: ReadTransaction,
  webhook_id: string,
  message_id: string,
): Promise<WebhookDelivery | undefined> {
  const [, digits] = MESSAGE_ID.exec(message_id) ?? [];
  if (digits === undefined) return undefined;
  return tx.webhookDeliveries.find({ webhook_id, position: Number(digits), message_id });
}

/** Queues deliveries again, with the same body and message id, and restarts their retry schedule. */
export async function requeueDeliveries(
  tx: WriteTransaction,
  deliveries: readonly WebhookDelivery[],
  now: string,
): Promise<void> {
  await tx.webhookDeliveries.putAll(
    deliveries.map((each) => ({ ...each, state: 'pending', tries_before: each.tries.length, next_at: now })),
  );
  for (const key of new Set(deliveries.map(({ webhook_id }) => webhook_id))) {
    await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at: now });
  }
}

/** The outcome of the last attempt, in a few words. */
export function lastOutcome({ tries }: Pick<WebhookDelivery, 'tries'>): string {
  const last = tries.at(-1);
  if (!last) return 'not tried yet';
  return last.status === undefined ? (last.reason ?? '') : `status ${last.status}`;
}
