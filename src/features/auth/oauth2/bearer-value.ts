import { hash } from 'node:crypto';
import { decode, encode } from '../../../base/percent.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';

/**
 * Creates the value of a bearer token: it starts with a run of `A` and contains literal escapes, because its last part
 * is base64, percent-encoded once. 40 bytes of base64 need padding, so it always contains `%3D`.
 * @param random cryptographically secure, also in development: a value must never be repeated.
 * @source authentication 3.1
 */
export function makeBearerValue(random: Random): string {
  return 'A'.repeat(22) + alphanumeric(random, 12) + encode(random.bytes(40).toString('base64'));
}

/** The hash by which a value is found; unsalted SHA-256 suffices for random values. @source authentication 3.2 */
export function bearerHash(value: string): string {
  return hash('sha256', value, 'hex');
}

/**
 * The possible spellings of a token in a header: as sent, or encoded once more, because the client had decoded it.
 * @source authentication 10.2
 */
export function headerSpellings(value: string): readonly string[] {
  return [value, encode(value)];
}

/**
 * The possible spellings of a token in a form: as sent, decoded once, or encoded once.
 * @source authentication 10.3
 */
export function formSpellings(value: string): readonly string[] {
  return [...new Set([value, decode(value, false) ?? value, encode(value)])];
}
