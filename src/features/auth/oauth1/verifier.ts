import { createHmac, timingSafeEqual } from 'node:crypto';
import { alphanumeric, type Random } from '../../../base/random.ts';

const PIN_DIGITS = 7;
const VERIFIER_LENGTH = 32;

/** Makes what proves an approval: a PIN for people to copy where there is no callback. @source authentication gaps 3.1 */
export function makeVerifier(callback: string, random: Random): string {
  return callback === 'oob' ? digits(random, PIN_DIGITS) : alphanumeric(random, VERIFIER_LENGTH);
}

/** Decimal digits, each uniformly likely. */
function digits(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) if (byte < 250 && text.length < length) text += byte % 10;
  }
  return text;
}

/**
 * What is stored of a verifier: its HMAC-SHA256 under the secret of its request token, hex. The secret is stored sealed,
 * so that seven digits cannot be found from a copy of the database, and is wiped with the exchange.
 * @source authentication gaps 3.2
 */
export function verifierHash(tokenSecret: string, verifier: string): string {
  return createHmac('sha256', tokenSecret).update(verifier).digest('hex');
}

/**
 * What of a verifier counts: of a PIN the digits, as people may set them apart; else all but the blanks around it.
 * @source authentication gaps 7
 */
export function normalizeVerifier(callback: string, input: string): string {
  return callback === 'oob' ? input.replace(/[^0-9]/g, '') : input.trim();
}

/** Tells whether a verifier is the stored one, in a time that does not depend on it. */
export function matchesVerifier(input: string, tokenSecret: string, stored: string | null): boolean {
  const found = Buffer.from(verifierHash(tokenSecret, input));
  const wanted = Buffer.from(stored ?? verifierHash(tokenSecret, ''));
  return timingSafeEqual(found, wanted) && stored !== null;
}
