/**
 * The instant at which a day starts in a time zone, as UTC text; the first instant of the day where the clock skips
 * midnight.
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
export function startOfDayAround(ms: number, zone: string): string {
  return startOfDay(new Date(shownMs(clockOf(zone), ms)).toISOString().slice(0, 10), zone);
}

/** Whether a text is the name of a time zone. */
export function isZone(name: string): boolean {
  try {
    // Offsets like +01:00 are accepted by Intl too, but are no names.
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
