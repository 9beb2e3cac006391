import { formatInstant } from '../../base/instants.ts';

/** Tells operators why clients are refused after a restore. @source decision 454 */
export function restoreMessage(notBefore_s: number): string {
  return `the service was restored: requests signed before ${formatInstant(notBefore_s * 1000)} are refused with code 135`;
}
