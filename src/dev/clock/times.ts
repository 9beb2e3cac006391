import { formatMillisecond } from '../../base/instants.ts';

/** Milliseconds since 1970 of a UTC time with seconds, and milliseconds if needed; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text)) return undefined;
  const ms = Date.parse(text);
  // Dates that do not exist would become others.
  return Number.isFinite(ms) && formatMillisecond(ms).slice(0, 19) === text.slice(0, 19) ? ms : undefined;
}

const WEEKS = /^P(\d{1,6})W$/;
const PARTS = /^P(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/**
 * Milliseconds of a duration in weeks, or in days, hours, minutes and seconds, such as `P1DT2H`; a day is 24 hours.
 * Undefined for anything else: years and months have no fixed length.
 * @source decision 868
 */
export function parseDuration(text: string): number | undefined {
  const weeks = WEEKS.exec(text);
  if (weeks) return Number(weeks[1]) * 7 * 86_400_000;
  const parts = PARTS.exec(text);
  if (!parts || text.length < 3) return undefined;
  const [days, hours, minutes, seconds] = parts.slice(1).map((digits) => Number(digits ?? 0)) as number[];
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000;
}
