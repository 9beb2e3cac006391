import { formatInstant, instantMs, monthsAfter } from '../../../base/instants.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { UploadRules } from '../../../contract/store/audiences.ts';

/** Operations of an upload. @source advertising 7; creatives 19.1; decision 267 */
export const OPERATIONS_MAX = 2500;

/** Bytes of an upload. @source creatives 19.1; decision 268 */
export const UPLOAD_BYTES_MAX = 5_000_000;

/** Characters of an identifier that is not hashed. @source creatives 19.3 */
export const PLAINTEXT_CHARACTERS_MAX = 256;

/**
 * From this many people on, a single hash that all of them share is reported as the hash of a file.
 * @source decision 272
 */
export const SAME_HASH_MIN = 100;

/** Months until people expire by default. @source creatives 19.1 */
const DEFAULT_MONTHS = 13;

/** When membership begins (inclusive) and ends (exclusive), in Unix seconds. */
export interface MembershipWindow {
  readonly effective_at: number;
  readonly expires_at: number;
}

/** The default window of an upload that is accepted now. */
export function defaultWindow(now_s: number): MembershipWindow {
  const expires = monthsAfter(formatInstant(now_s * 1000), DEFAULT_MONTHS);
  return { effective_at: now_s, expires_at: instantMs(expires) / 1000 };
}

/** Errors of the window of an operation; `isEnd`: `expires_at` was sent. */
export function windowErrors(
  window: MembershipWindow,
  input: { readonly isEnd: boolean },
  usual: MembershipWindow,
  rules: UploadRules,
): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  if (input.isEnd && window.expires_at <= usual.effective_at) {
    errors.push({ problem: 'EXPIRED_ALREADY', parameter: 'expires_at' });
  }
  if (window.expires_at <= window.effective_at) errors.push({ problem: 'EXPIRES_TOO_EARLY', parameter: 'expires_at' });
  if (rules.limitsExpiry && window.expires_at > usual.expires_at) {
    errors.push({ problem: 'EXPIRES_TOO_LATE', parameter: 'expires_at', words: { months: DEFAULT_MONTHS } });
  }
  return errors;
}
