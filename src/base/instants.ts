/**
 * Instants are stored, compared and serialized as UTC text with second precision: `2026-03-02T17:04:55Z`. All such
 * texts have the same length, so that text order is time order in both databases.
 */

let shownSecond = Number.NaN;
let shownText = '';

/** Formats `ms` (milliseconds since 1970), truncated to seconds. */
export function formatInstant(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== shownSecond) {
    shownSecond = second;
    shownText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return shownText;
}

/** Formats `ms` with milliseconds, `2026-03-02T17:04:55.123Z`, where order within a second matters. */
export function formatMillisecond(ms: number): string {
  return new Date(ms).toISOString();
}

/** Milliseconds since 1970 of a text from `formatInstant` or `parseInstant`. */
export function instantMs(text: string): number {
  return Date.parse(text);
}

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Parses the accepted subset of ISO 8601: a date alone (midnight UTC), or date and time with `Z`, an offset, or no
 * designator (UTC). Fractions are truncated. Undefined when invalid, or outside the years 0001 to 9999 in UTC.
 * @source campaigns 1.2
 */
export function parseInstant(text: string): string | undefined {
  const match = SHAPE.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || month < 1 || month > 12 || day < 1 || year < 1) return undefined;
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  if (utc.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(match[7]);
  if (offset === undefined) return undefined;
  const ms = utc.getTime() - offset * 60_000;
  const shown = new Date(ms).toISOString();
  return shown.length === 24 && ms >= -62_135_596_800_000 ? `${shown.slice(0, 19)}Z` : undefined;
}

/** Minutes east of UTC; undefined for an impossible offset. */
function offsetMinutes(designator: string | undefined): number | undefined {
  if (designator === undefined || designator === 'Z') return 0;
  const digits = designator.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 18 || minutes > 59) return undefined;
  return (designator[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** An instant some seconds later. */
export function addSeconds(instant: string, seconds: number): string {
  return formatInstant(instantMs(instant) + seconds * 1000);
}

/** Adds calendar months to an instant, keeping the time of day. A day that the month lacks becomes its last day. */
export function addMonths(instant: string, months: number): string {
  const then = new Date(instant);
  const day = then.getUTCDate();
  then.setUTCMonth(then.getUTCMonth() + months);
  if (then.getUTCDate() !== day) then.setUTCDate(0);
  return formatInstant(then.getTime());
}

/** Formats `2026-01-01T00:00:00Z` as `Thu Jan 01 00:00:00 +0000 2026`. */
export function formatLegacyDate(instant: string): string {
  const [weekday, day, month, year, time] = new Date(instant).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${time} +0000 ${year}`;
}
