import { type HmacKey, hmacKey, hmacOfBytes } from '../../../base/hmac.ts';
import type { Random } from '../../../base/random.ts';
import { eventUuid } from '../../../contract/store/events.ts';

/**
 * The header with the signature of a body, or of the query of a challenge: `sha256=` and base64.
 * @source activity 19.3 and 19.4
 */
export const SIGNATURE_HEADER = 'x-ext-webhooks-signature';

/** The User-Agent of requests to webhooks. */
export const USER_AGENT = 'barker-webhooks/1';

/** The message id of an event for a subscription, also when it is replayed. @source activity 21.5; decision 397 */
export function messageIdOf(position: number, subscription: string): string {
  return `msg_${eventUuid(position)}_${subscription}`;
}

/** The HMAC-SHA256 of text or bytes with the consumer secret of an application. @source activity 19.4 */
export function signatureOf(consumerSecret: string | HmacKey, signed: string | Uint8Array): string {
  const key = typeof consumerSecret === 'string' ? keyOf(Buffer.from(consumerSecret)) : consumerSecret;
  return `sha256=${hmacOfBytes(key, '', bytesOf(signed))}`;
}

/** Prepares a key, so that many messages are signed by it. */
export function keyOf(secret: Uint8Array): HmacKey {
  return hmacKey('sha256', secret);
}

function bytesOf(signed: string | Uint8Array): Uint8Array {
  return typeof signed === 'string' ? Buffer.from(signed) : signed;
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret of a webhook, in the form that is shown once. @source Standard Webhooks; activity 21.5 */
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

/** The Standard Webhooks headers, with one signature for each key. @source Standard Webhooks; activity 21.5 */
export function standardHeaders(
  keys: readonly (Uint8Array | HmacKey)[],
  { id, timestamp_s }: MessageStamp,
  body: string | Uint8Array,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const stamp = `${id}.${timestamp_s}.`;
  const bytes = bytesOf(body);
  const signatures = keys.map((key) => {
    const prepared = key instanceof Uint8Array ? keyOf(key) : key;
    return `v1,${hmacOfBytes(prepared, stamp, bytes)}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp_s),
    'webhook-signature': signatures.join(' '),
  };
}
