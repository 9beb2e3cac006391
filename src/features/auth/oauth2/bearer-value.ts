import { hash } from 'node:crypto';
import { decode, encode } from '../../../base/percent.ts';
import { alphanumeric, type Random } from '../../../base/random.ts';

/**
 * Makes the value of an application-only token: it starts with a run of `A` and holds literal escapes, because its
 * last part is base64, percent-encoded once. 40 bytes never fill base64, so there is always a `%3D` in it.
 * @param random cryptographic, also in development: a value must never come back.
 * @source authentication gaps 3.1
 */
export function makeBearerValue(random: Random): string {
  return 'A'.repeat(22) + alphanumeric(random, 12) + encode(random.bytes(40).toString('base64'));
}

/** What a value is found by. SHA-256 without salt is enough for what nobody can guess. @source authentication gaps 3.2 */
export function bearerHash(value: string): string {
  return hash('sha256', value, 'hex');
}

/**
 * What a caller may have meant by a value in a header: as it stands, or encoded once more, because he had decoded it.
 * @source authentication gaps 10.2
 */
export function headerSpellings(value: string): readonly string[] {
  return [value, encode(value)];
}

/**
 * What a caller may have meant by a value in a form: as it stands, decoded once, or encoded once.
 * @source authentication gaps 10.3
 */
export function formSpellings(value: string): readonly string[] {
  return [...new Set([value, decode(value, false) ?? value, encode(value)])];
}
