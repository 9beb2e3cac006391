import { type RawBuilder, sql } from 'kysely';
import { DELIVERY_METRICS } from '../../contract/delivery/metrics.ts';
import { visitHours } from '../../contract/delivery/packed-hours.ts';
import { SUMMED_METRICS } from '../../contract/delivery/report.ts';

/** Columns summed by reports. */
export const SUM_VALUES = ['impressions', 'spend_local_micro', 'engagements', 'clicks', 'video_total_views'] as const;

/** The place of each summed metric among all metrics. */
const SUMMED_SLOTS = Int16Array.from(DELIVERY_METRICS, (metric) =>
  (SUMMED_METRICS as readonly string[]).indexOf(metric),
);

/** The sums of a day that only reports need. */
export function summedOf(hours: Uint8Array): Record<(typeof SUMMED_METRICS)[number], number> {
  const sums = [0, 0, 0];
  visitHours(hours, SUMMED_SLOTS, (slot, _, number) => {
    sums[slot]! += number;
  });
  const [engagements, clicks, video_total_views] = sums.map(saturated) as [number, number, number];
  return { engagements, clicks, video_total_views };
}

/** A sum that no number of rows overflows. @source decision 1070 */
export function sumOf(column: 'billed' | (typeof SUM_VALUES)[number]): RawBuilder<number> {
  return sql<number>`coalesce(sum(cast(${sql.ref(column)} as double precision)), 0)`;
}

/** Clamps a sum to the safe integers. */
export function saturated(sum: number): number {
  return Math.min(Number(sum), Number.MAX_SAFE_INTEGER);
}
