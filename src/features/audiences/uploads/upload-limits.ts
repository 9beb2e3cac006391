import { addMonths, formatInstant, instantMs } from '../../../base/instants.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { UploadRules } from '../../../contract/store/audiences.ts';

/** Maximum number of operations of an upload. @source advertising 7; creatives 19.1; decision 267 */
export const OPERATIONS_MAX = 2500;

/** Maximum size of an upload in bytes. @source creatives 19.1; decision 268 */
export const UPLOAD_BYTES_MAX = 5_000_000;

/** Maximum length of an identifier that is not hashed, in characters. @source creatives 19.3 */
export const PLAINTEXT_CHARACTERS_MAX = 256;

/** If at least this many people all share a single hash, it is reported as the hash of a file. @source decision 272 */
export const SAME_HASH_MIN = 100;

/** Default membership in months. @source creatives 19.1 */
const DEFAULT_MONTHS = 13;

/** The start (inclusive) and end (exclusive) of a membership, in Unix seconds. */
export interface MembershipWindow {
  readonly effective_at: number;
  readonly expires_at: number;
}

/** Returns the default window of an upload accepted now. */
export function defaultWindow(now_s: number): MembershipWindow {
  const expires = addMonths(formatInstant(now_s * 1000), DEFAULT_MONTHS);
  return { effective_at: now_s, expires_at: instantMs(expires) / 1000 };
}

/** Validates the window of an operation; `hasEnd`: `expires_at` was sent. */
export function windowErrors(
  window: MembershipWindow,
  hasEnd: boolean,
  usual: MembershipWindow,
  rules: UploadRules,
): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  if (hasEnd && window.expires_at <= usual.effective_at) {
    errors.push({ problem: 'EXPIRED_ALREADY', parameter: 'expires_at' });
  }
  if (window.expires_at <= window.effective_at) errors.push({ problem: 'EXPIRES_TOO_EARLY', parameter: 'expires_at' });
  if (rules.limitsExpiry && window.expires_at > usual.expires_at) {
    errors.push({ problem: 'EXPIRES_TOO_LATE', parameter: 'expires_at', words: { months: DEFAULT_MONTHS } });
  }
  return errors;
}
