import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { ReadTransaction, WriteTransaction } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookAdministration, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import { whyNot } from './challenge.ts';
import { newWebhookSecret } from './signing.ts';
import { type ChallengeParts, challengeNow } from './validity.ts';

/**
 * Challenges webhooks when the owner of the application wishes it. What a receiver said is told in development only.
 * @source activity gaps 19.1 and 21.4
 */
export function validating(
  parts: ChallengeParts & { readonly clock: Clock },
  { tellsHints }: { readonly tellsHints: boolean },
): WebhookAdministration['validate'] {
  return async (webhook) => {
    const verdict = await challengeNow(parts, webhook);
    if (!verdict) return undefined;
    if (verdict.is === 'right') return { hasPassed: true, reason: '' };
    return { hasPassed: false, reason: tellsHints ? whyNot(verdict) : verdict.reason };
  };
}

/** How long a secret goes on signing after it was replaced. */
const FORMER_S = 86_400;

/**
 * Gives a webhook a new secret for the second signature; the one before signs beside it for a day, so that receivers can
 * follow. The answer is told once; undefined when there is no such webhook.
 * @source activity gaps 21.5
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
    former_until: formatInstant(instantMs(now) + FORMER_S * 1000),
  });
  return secret;
}

const MESSAGE = /^msg_\d{2}(\d{17})_\d{1,19}$/;

/** The delivery of a message, which the id of the message leads to. */
export async function findDelivery(
  tx: ReadTransaction,
  webhook_id: string,
  message_id: string,
): Promise<WebhookDelivery | undefined> {
  const [, digits] = MESSAGE.exec(message_id) ?? [];
  if (digits === undefined) return undefined;
  return tx.webhookDeliveries.find({ webhook_id, position: Number(digits), message_id });
}

/** Sends deliveries once more, with the bytes and the id that they had, on a schedule that begins anew. */
export async function resend(tx: WriteTransaction, deliveries: readonly WebhookDelivery[], now: string): Promise<void> {
  await tx.webhookDeliveries.putAll(
    deliveries.map((each) => ({ ...each, state: 'pending', tries_before: each.tries.length, next_at: now })),
  );
  for (const key of new Set(deliveries.map(({ webhook_id }) => webhook_id))) {
    await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at: now });
  }
}

/** What became of a delivery the last time, in few words. */
export function lastOutcome({ tries }: Pick<WebhookDelivery, 'tries'>): string {
  const last = tries.at(-1);
  if (!last) return 'not tried yet';
  return last.status === undefined ? (last.reason ?? '') : `status ${last.status}`;
}
