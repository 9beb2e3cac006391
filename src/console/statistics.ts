import { formatInstant } from '../base/instants.ts';
import { dateAround, plusDays, startOfDay } from '../base/zones.ts';
import type { AccountVisit } from './account-visit.ts';
import { bodyOf } from './refused-call.ts';

/** What was delivered on each day. */
export interface DailyNumbers {
  readonly spend: number[];
  readonly impressions: number[];
  readonly engagements: number[];
  readonly clicks: number[];
  readonly views: number[];
}

const METRICS = {
  spend: 'billed_charge_local_micro',
  impressions: 'impressions',
  engagements: 'engagements',
  clicks: 'clicks',
  views: 'video_total_views',
} as const satisfies Record<keyof DailyNumbers, string>;

/** One call answers so many days and entities. */
const DAYS_MAX = 7;
const ENTITIES_MAX = 20;

/** The local days that end with today. */
export function lastDays(now: string, zone: string, count: number): string[] {
  const today = dateAround(Date.parse(now), zone);
  return Array.from({ length: count }, (_, back) => plusDays(today, back - count + 1));
}

/** The kinds of entities that have such numbers. */
export type StatisticsEntity = 'CAMPAIGN' | 'LINE_ITEM' | 'PROMOTED_POST';

/** The numbers of entities by local day, as the API gives them. Entities without delivery have zeros. */
export async function dailyNumbers(
  { account, call }: AccountVisit,
  entity: StatisticsEntity,
  ids: readonly string[],
  days: readonly string[],
): Promise<Map<string, DailyNumbers>> {
  const nothing = (): DailyNumbers => ({
    ...{ spend: days.map(() => 0), impressions: days.map(() => 0), engagements: days.map(() => 0) },
    ...{ clicks: days.map(() => 0), views: days.map(() => 0) },
  });
  const found = new Map(ids.map((id) => [id, nothing()]));
  const bound = (day: string): string => formatInstant(Date.parse(startOfDay(day, account.timezone)));
  for (let from = 0; from < days.length; from += DAYS_MAX) {
    const some = days.slice(from, from + DAYS_MAX);
    for (let first = 0; first < ids.length; first += ENTITIES_MAX) {
      const reply = await call('stats.get', {
        parameters: {
          ...{ entity, entity_ids: ids.slice(first, first + ENTITIES_MAX).join(','), granularity: 'DAY' },
          ...{ start_time: bound(some[0]!), end_time: bound(plusDays(some.at(-1)!, 1)) },
          ...{ metric_groups: 'ENGAGEMENT,BILLING,VIDEO', placement: 'ALL_ON_SERVICE' },
        },
      });
      for (const { id, id_data } of bodyOf(reply).data) addMetrics(found.get(id)!, id_data[0].metrics, from);
    }
  }
  return found;
}

/** Adds the metrics of a reply to numbers, from a day on. */
export function addMetrics(
  numbers: DailyNumbers,
  metrics: Readonly<Record<string, number[] | null>>,
  from: number,
): void {
  for (const [name, metric] of Object.entries(METRICS)) {
    for (const [at, value] of (metrics[metric] ?? []).entries())
      numbers[name as keyof DailyNumbers][from + at]! += value;
  }
}

/** The sum over entities, day by day. */
export function summed(all: Iterable<DailyNumbers>, days: number): DailyNumbers {
  const zeros = (): number[] => Array.from({ length: days }, () => 0);
  const sum = { spend: zeros(), impressions: zeros(), engagements: zeros(), clicks: zeros(), views: zeros() };
  for (const each of all)
    for (const name of Object.keys(sum) as (keyof DailyNumbers)[])
      for (let at = 0; at < days; at++) sum[name][at]! += each[name][at]!;
  return sum;
}

/** The sum of some days. */
export const totalOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
