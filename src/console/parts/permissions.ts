import type { AccountVisit } from '../account-visit.ts';

const WRITERS = ['ACCOUNT_ADMIN', 'AD_MANAGER'];

/** Whether a user may change campaigns. What they may not is not offered; the API refuses it anyway. */
export function canChange({ permissions }: Pick<AccountVisit, 'permissions'>): boolean {
  return permissions.some((each) => WRITERS.includes(each));
}
