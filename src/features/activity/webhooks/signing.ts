import { createHmac, type KeyObject } from 'node:crypto';
import type { Random } from '../../../base/random.ts';

/**
 * The header with the signature of a body, or of the query of a challenge: `sha256=` and base64.
 * @source activity gaps 19.3 and 19.4
 */
export const SIGNATURE_HEADER = 'x-ext-webhooks-signature';

/** The HMAC-SHA256 of text or bytes with the consumer secret of an application. @source activity gaps 19.4 */
export function signatureOf(consumerSecret: string | KeyObject, signed: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', consumerSecret).update(signed).digest('base64')}`;
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret of a webhook, in the form that is shown once. @source Standard Webhooks; activity gaps 21.5 */
export function newWebhookSecret(random: Random): string {
  return SECRET_PREFIX + random.bytes(SECRET_BYTES).toString('base64');
}

/** The HMAC key of a secret. */
export function webhookKey(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

/** The id and time that a signature covers, so that a message cannot be replayed by others. */
export interface MessageStamp {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp_s: number;
}

/** The Standard Webhooks headers, with one signature for each key. @source Standard Webhooks; activity gaps 21.5 */
export function standardHeaders(
  keys: readonly (Uint8Array | KeyObject)[],
  { id, timestamp_s }: MessageStamp,
  body: string | Uint8Array,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signatures = keys.map((key) => {
    const text = createHmac('sha256', key).update(`${id}.${timestamp_s}.`).update(body);
    return `v1,${text.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp_s),
    'webhook-signature': signatures.join(' '),
  };
}
