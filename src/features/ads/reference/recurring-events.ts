import { boundedCache } from '../../../base/bounded-cache.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { lazy, readTable, type TableRow } from './tsv-table.ts';

const DAY_MS = 86_400_000;
// The years that Intl calendars support, and how many years ahead an event recurs at least once.
const YEARS = [1970, 9990] as const;
const YEARS_MAX = 5;

/** A recurring event; see `datesInYear` for the syntax of its rule. */
type RecurringEvent = TableRow<'targeting_value' | 'name' | 'event_type' | 'country_code' | 'rule' | 'days' | 'years'>;

/** The next occurrence of an event. */
interface Occurrence {
  readonly targeting_value: string;
  readonly name: string;
  readonly event_type: string;
  /** Null for global events. */
  readonly country_code: string | null;
  readonly is_global: boolean;
  /** UTC midnights. */
  readonly start_time: string;
  readonly end_time: string;
}

/** Every recurring event. */
export const events: () => readonly RecurringEvent[] = lazy(() =>
  readTable<'targeting_value' | 'name' | 'event_type' | 'country_code' | 'rule' | 'days' | 'years'>('events'),
);

/** Returns the first occurrence of each event that ends after an instant (UTC text), sorted by start. @source decision 152 */
export function occurrencesFrom(from: string): Occurrence[] {
  const found = events().flatMap((event) => nextOccurrence(event, instantMs(from)) ?? []);
  return found.sort((a, b) => (occurrenceSortKey(a) < occurrenceSortKey(b) ? -1 : 1));
}

/** Sort key of occurrences: start, then id. */
export function occurrenceSortKey({ start_time, targeting_value }: Occurrence): string {
  return `${start_time} ${targeting_value}`;
}

function nextOccurrence(event: RecurringEvent, from: number): Occurrence | undefined {
  const first = Math.max(new Date(from).getUTCFullYear() - 1, YEARS[0]);
  for (let year = first; year <= Math.min(first + YEARS_MAX, YEARS[1]); year++) {
    if (!takesPlaceIn(event.years, year)) continue;
    const start = datesInYear(event.rule, year).find((day) => day + Number(event.days) * DAY_MS > from);
    if (start === undefined) continue;
    return {
      targeting_value: event.targeting_value,
      name: event.name,
      event_type: event.event_type,
      country_code: event.country_code || null,
      is_global: event.country_code === '',
      start_time: formatInstant(start),
      end_time: formatInstant(start + Number(event.days) * DAY_MS),
    };
  }
  return undefined;
}

/** Tests whether an event takes place in a year: `4+1` means every fourth year, where year % 4 = 1. */
function takesPlaceIn(years: string, year: number): boolean {
  if (years === '') return true;
  const [every, rest = '0'] = years.split('+');
  return year % Number(every) === Number(rest);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * Returns the dates of a rule in a year (midnight UTC, Unix ms): one; for calendars with shorter years also two or none.
 * A rule is one of `12-31` (month and day); `11-22>Thu` (the first Thursday from 22 November on); `easter-2` (days from
 * Easter Sunday); `hebrew Tishri 1` (month and day of another calendar of Intl).
 */
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

/** Computes Easter Sunday by the Meeus/Jones/Butcher algorithm. */
function easterSunday(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const days = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
}

const cache = boundedCache<string, readonly number[]>(200);

/**
 * Returns the dates of another calendar. No event uses the Chinese one, because Intl is a day off in some years.
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
