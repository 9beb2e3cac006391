import { createHmac, timingSafeEqual } from 'node:crypto';
import { alphanumeric, type Random } from '../../../base/random.ts';

const PIN_DIGITS = 7;
const VERIFIER_LENGTH = 32;

/**
 * Creates the proof of an approval: a PIN to copy by hand where there is no callback.
 * @source authentication 3.1
 */
export function makeVerifier(callback: string, random: Random): string {
  return callback === 'oob' ? digits(random, PIN_DIGITS) : alphanumeric(random, VERIFIER_LENGTH);
}

/** Uniformly distributed decimal digits. */
function digits(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) if (byte < 250 && text.length < length) text += byte % 10;
  }
  return text;
}

/**
 * The stored form of a verifier: its HMAC-SHA256 under the secret of its request token, hex. The secret is stored
 * sealed, so that a copy of the database does not suffice to find seven digits, and is removed by the exchange.
 * @source authentication 3.2; decision 71
 */
export function verifierHash(tokenSecret: string, verifier: string): string {
  return createHmac('sha256', tokenSecret).update(verifier).digest('hex');
}

/**
 * A verifier as it is compared: of a PIN the digits alone, since people may group them; otherwise without surrounding
 * whitespace.
 * @source authentication 7; decision 90
 */
export function normalizeVerifier(callback: string, input: string): string {
  return callback === 'oob' ? input.replace(/[^0-9]/g, '') : input.trim();
}

/** Whether a verifier matches the stored hash, in constant time. */
export function matchesVerifier(input: string, tokenSecret: string, stored: string | null): boolean {
  const found = Buffer.from(verifierHash(tokenSecret, input));
  const expected = Buffer.from(stored ?? verifierHash(tokenSecret, ''));
  return timingSafeEqual(found, expected) && stored !== null;
}
