/**
 * The instant at which a day begins in a time zone, UTC text. Where the clock skips midnight it is the first instant
 * of the day.
 * @param date `YYYY-MM-DD`
 * @param zone IANA name
 */
export function startOfDay(date: string, zone: string): string {
  const wanted = Date.parse(date);
  const clock = clockOf(zone);
  // The offset at the guess is right unless the zone changes its offset in between; then the second look has it.
  let guess = wanted - (shownMs(clock, wanted) - wanted);
  guess = wanted - (shownMs(clock, guess) - guess);
  // A skipped midnight: the clock shows an earlier hour of the day before.
  while (shownMs(clock, guess) < wanted) guess += 900_000;
  return `${new Date(guess).toISOString().slice(0, 19)}Z`;
}

/** The instant at which the day of an instant begins in a time zone, UTC text. */
export function startOfDayAround(ms: number, zone: string): string {
  return startOfDay(new Date(shownMs(clockOf(zone), ms)).toISOString().slice(0, 10), zone);
}

/** Whether this is the name of a time zone. */
export function isZone(name: string): boolean {
  try {
    // Offsets like +01:00 are understood too, and are no names.
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

/** What a clock in the zone shows at an instant, read as if it were UTC. */
function shownMs(clock: Intl.DateTimeFormat, ms: number): number {
  const part = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
  // West of Greenwich the year 1 begins before it does in UTC: the year before it is written 1 BC.
  const year = part.era?.startsWith('B') ? 1 - Number(part.year) : Number(part.year);
  const date = `${String(year).padStart(4, '0')}-${part.month}-${part.day}`;
  return Date.parse(`${date}T${part.hour}:${part.minute}:${part.second}Z`);
}
