import { addDays, localDateAt, localDay } from '../../../base/zones.ts';

/** The width of the buckets of a series. */
export type Granularity = 'DAY' | 'HOUR' | 'TOTAL';

/** The part of a local day within a range: its hours from `first` to `end` (exclusive), and their buckets. */
export interface DayBuckets {
  readonly first: number;
  readonly end: number;
  /** The bucket of hour `first`. */
  readonly bucket: number;
  /** 1 if each hour has its own bucket, otherwise 0. */
  readonly step: 0 | 1;
}

/** The buckets of a time range. */
export interface Buckets {
  readonly length: number;
  /** By local date. */
  readonly days: ReadonlyMap<string, DayBuckets>;
}

const HOUR_MS = 3_600_000;

/**
 * Divides a range of whole local hours into buckets. Days are local: a day of 23 or 25 hours is one bucket by DAY, and 23
 * or 25 by HOUR.
 * @source analytics 3; decision 956
 */
export function bucketsOf(from_ms: number, until_ms: number, granularity: Granularity, zone: string): Buckets {
  const days = new Map<string, DayBuckets>();
  const step = granularity === 'HOUR' ? 1 : 0;
  let bucket = 0;
  for (let date = localDateAt(from_ms, zone); ; date = addDays(date, 1)) {
    const { start_ms, hours } = localDay(date, zone);
    if (start_ms >= until_ms) break;
    const first = Math.max(0, Math.floor((from_ms - start_ms) / HOUR_MS));
    const end = Math.min(hours, Math.ceil((until_ms - start_ms) / HOUR_MS));
    days.set(date, { first, end, bucket, step });
    bucket += granularity === 'HOUR' ? end - first : granularity === 'DAY' ? 1 : 0;
  }
  return { length: granularity === 'TOTAL' ? 1 : bucket, days };
}
