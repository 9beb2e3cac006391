import { formatInstant, instantMs } from '../../../base/instants.ts';
import { datesInYear } from './recurring-dates.ts';
import { type Line, lazy, readTable } from './tsv-table.ts';

const DAY_MS = 86_400_000;
// The years that Intl calendars support, and how many years ahead an event recurs at least once.
const YEARS = [1970, 9990] as const;
const YEARS_MAX = 5;

/** A recurring event; the syntax of its rule is described in `recurring-dates.ts`. */
type RecurringEvent = Line<'targeting_value' | 'name' | 'event_type' | 'country_code' | 'rule' | 'days' | 'years'>;

/** The next occurrence of an event. */
export interface Occurrence {
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

/** The first occurrence of each event that ends after an instant (UTC text), sorted by start. @source decision 152 */
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

/** Whether an event takes place in a year: `4+1` means every fourth year, where year % 4 = 1. */
function takesPlaceIn(years: string, year: number): boolean {
  if (years === '') return true;
  const [every, rest = '0'] = years.split('+');
  return year % Number(every) === Number(rest);
}
