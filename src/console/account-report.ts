import { type Role, STATS_READERS } from '../contract/declare/roles.ts';
import { type DailyNumbers, totalOf } from '../contract/delivery/report.ts';
import type { AccountVisit } from './account-visit.ts';
import { RefusedCall } from './refused-call.ts';

/** Refuses those who may not read statistics, as calls do. @throws RefusedCall */
export function requireReader({ permissions }: Pick<AccountVisit, 'permissions'>): void {
  if (permissions.some((each) => STATS_READERS.includes(each as Role))) return;
  throw new RefusedCall({ status: 403, refusals: [{ problem: 'ACTION_NOT_ALLOWED' }] });
}

/** The sum of rows, day by day. */
export function summed(rows: readonly DailyNumbers[]): DailyNumbers {
  const [first] = rows;
  const of = (name: keyof DailyNumbers): number[] =>
    (first?.[name] ?? []).map((_, at) => totalOf(rows.map((row) => row[name][at]!)));
  return {
    ...{ spend: of('spend'), impressions: of('impressions'), engagements: of('engagements') },
    ...{ clicks: of('clicks'), views: of('views') },
  };
}
