import { formatInstant, instantMs, monthsAfter } from '../../../base/instants.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { UploadRules } from '../../../contract/store/audiences.ts';

/** @source advertising: Batch behaviour; creatives 19.1 */
export const OPERATIONS_MAX = 2500;

/** Bytes of an upload. @source creatives 19.1 */
export const PEOPLE_BYTES_MAX = 5_000_000;

/** Characters of an identifier that is not hashed. @source creatives 19.3 */
export const PLAIN_CHARACTERS_MAX = 256;

/** So many people of one operation do not all have the same one hash by accident. */
export const ALIKE_MIN = 100;

/** How long people stay when nothing else is said. @source creatives 19.1 */
export const LASTING_MONTHS = 13;

/** When the people of an upload that says nothing else begin and cease to count, in seconds since 1970. */
export interface UsualWindow {
  readonly effective_at: number;
  readonly expires_at: number;
}

/** The window of an upload that is accepted now. */
export function usualWindow(now_s: number): UsualWindow {
  const expires = monthsAfter(formatInstant(now_s * 1000), LASTING_MONTHS);
  return { effective_at: now_s, expires_at: instantMs(expires) / 1000 };
}

/** What is wrong with the window of an operation; `given` says that the end was. */
export function windowFaults(
  window: UsualWindow,
  input: { readonly isEnd: boolean },
  usual: UsualWindow,
  rules: UploadRules,
): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  if (input.isEnd && window.expires_at <= usual.effective_at) {
    errors.push({ problem: 'EXPIRED_ALREADY', parameter: 'expires_at' });
  }
  if (window.expires_at <= window.effective_at) errors.push({ problem: 'EXPIRES_TOO_EARLY', parameter: 'expires_at' });
  if (rules.limitsExpiry && window.expires_at > usual.expires_at) {
    errors.push({ problem: 'EXPIRES_TOO_LATE', parameter: 'expires_at', words: { months: LASTING_MONTHS } });
  }
  return errors;
}
