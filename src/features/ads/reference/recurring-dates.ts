import { boundedCache } from '../../../base/bounded-cache.ts';

/**
 * Dates that recur every year. A rule is one of `12-31` (month and day); `11-22>Thu` (the first Thursday from
 * 22 November on); `easter-2` (days from Easter Sunday); `hebrew Tishri 1` (month and day of another calendar of Intl).
 */

const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The dates of a rule in a year (midnight UTC, Unix ms): one; for calendars with shorter years also two or none. */
export function datesInYear(rule: string, year: number): readonly number[] {
  const fixed = /^(\d\d)-(\d\d)(?:>(\w{3}))?$/.exec(rule);
  if (fixed) {
    const [, month, day, weekday] = fixed;
    const from = Date.UTC(year, Number(month) - 1, Number(day));
    const wait = weekday ? (WEEKDAYS.indexOf(weekday) - new Date(from).getUTCDay() + 7) % 7 : 0;
    return [from + wait * DAY_MS];
  }
  const easter = /^easter([+-]\d+)$/.exec(rule);
  if (easter) return [easterSunday(year) + Number(easter[1]) * DAY_MS];
  const other = /^([\w-]+) (.+) (\d+)$/.exec(rule)!;
  return datesOfCalendar(year, other[1]!, other[2]!, other[3]!);
}

/** Easter Sunday by the Meeus/Jones/Butcher algorithm. */
function easterSunday(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const days = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
}

const CACHE_MAX = 200;
const cache = boundedCache<string, readonly number[]>(CACHE_MAX);

/**
 * Dates of another calendar. No event uses the Chinese one, because Intl is a day off in some years.
 * @source decision 153
 */
function datesOfCalendar(year: number, calendar: string, month: string, day: string): readonly number[] {
  const key = `${calendar} ${month} ${day} ${year}`;
  const known = cache.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { month: 'long', day: 'numeric', timeZone: 'UTC' });
  const found: number[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += DAY_MS) {
    const parts = format.formatToParts(at);
    const part = (type: string) => parts.find((each) => each.type === type)?.value;
    if (part('day') === day && part('month') === month) found.push(at);
  }
  cache.set(key, found);
  return found;
}
