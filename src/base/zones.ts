/**
 * Returns the instant at which a day starts in a time zone, as UTC text; if the clock skips midnight, the first instant of
 * the day.
 * @param date `YYYY-MM-DD`
 * @param zone IANA name
 */
export function startOfDay(date: string, zone: string): string {
  const wanted = Date.parse(date);
  const clock = clockOf(zone);
  // The offset at the guess is right unless it changes in between; the second iteration corrects that.
  let guess = wanted - (shownMs(clock, wanted) - wanted);
  guess = wanted - (shownMs(clock, guess) - guess);
  // Midnight is skipped: the clock shows an hour of the previous day.
  while (shownMs(clock, guess) < wanted) guess += 900_000;
  return `${new Date(guess).toISOString().slice(0, 19)}Z`;
}

/** The instant at which the day containing an instant starts in a time zone, as UTC text. */
export function startOfDayAt(ms: number, zone: string): string {
  return startOfDay(localDateAt(ms, zone), zone);
}

/** The local date at an instant, `YYYY-MM-DD`. */
export function localDateAt(ms: number, zone: string): string {
  const second = Math.floor(ms / 1000);
  const last = lastDates.get(zone);
  if (last?.second === second) return last.date;
  const date = new Date(shownMs(clockOf(zone), ms)).toISOString().slice(0, 10);
  lastDates.set(zone, { second, date });
  return date;
}

/** By zone: the date at the last requested second, because most requests are for the same one. */
const lastDates = new Map<string, { readonly second: number; readonly date: string }>();

/** The date some days after another; before it when `days` is negative. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Number of days from one date to another; negative if the other is earlier. */
export function daysBetween(date: string, later: string): number {
  return (Date.parse(later) - Date.parse(date)) / DAY_MS;
}

/** A day of a time zone. Hours count from its start, so that days with clock changes have one more or less. */
export interface LocalDay {
  readonly date: string;
  /** Milliseconds since 1970; `end_ms` is the start of the next day. */
  readonly start_ms: number;
  readonly end_ms: number;
  /** 24, or 23 or 25 where clocks change; the last one is shorter where they change by less than an hour. */
  readonly hours: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS_KEPT = 4096;
const days = new Map<string, LocalDay>();

/** A day of a time zone by its date. */
export function localDay(date: string, zone: string): LocalDay {
  const key = `${date} ${zone}`;
  let day = days.get(key);
  if (!day) {
    const start_ms = Date.parse(startOfDay(date, zone));
    const end_ms = Date.parse(startOfDay(addDays(date, 1), zone));
    day = { date, start_ms, end_ms, hours: Math.ceil((end_ms - start_ms) / HOUR_MS) };
    if (days.size >= DAYS_KEPT) days.clear();
    days.set(key, day);
  }
  return day;
}

/** The day of a time zone in which an instant lies. */
export function localDayAt(ms: number, zone: string): LocalDay {
  return localDay(localDateAt(ms, zone), zone);
}

/** The start of the hour of a local day in which an instant lies. */
export function startOfHour(ms: number, { start_ms }: LocalDay): number {
  return ms - ((ms - start_ms) % HOUR_MS);
}

/** Whether a text is the name of a time zone. */
export function isZone(name: string): boolean {
  try {
    // Offsets like +01:00 are accepted by Intl too, but are not names.
    return /^[A-Za-z]/.test(name) && clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    clocks.set(zone, clock);
  }
  return clock;
}

/** The clock time in the zone at an instant, read as if it were UTC. */
function shownMs(clock: Intl.DateTimeFormat, ms: number): number {
  const part = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
  // West of Greenwich year 1 begins before it does in UTC: the year before it is 1 BC.
  const year = part.era?.startsWith('B') ? 1 - Number(part.year) : Number(part.year);
  const date = `${String(year).padStart(4, '0')}-${part.month}-${part.day}`;
  return Date.parse(`${date}T${part.hour}:${part.minute}:${part.second}Z`);
}
