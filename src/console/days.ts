import { formatInstant, instantMs } from '../base/instants.ts';
import { dateAround, plusDays, startOfDay } from '../base/zones.ts';

/** The local day on which a flight starts, such as `2026-03-02`; '' without a start. @source decision 1002 */
export function firstDay(start: string | null, zone: string): string {
  return start === null ? '' : dateAround(instantMs(start), zone);
}

/** The last local day of a flight: its end is exclusive. */
export function lastDay(end: string | null, zone: string): string {
  return end === null ? '' : dateAround(instantMs(end) - 1000, zone);
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The start of a local day as UTC text; '' stays, and undefined is for what is no day. */
export function startOf(day: string, zone: string): string | undefined {
  if (day === '') return '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? formatInstant(Date.parse(startOfDay(day, zone))) : undefined;
}

/** The end of a local day, which is the start of the next, as UTC text. */
export function endOf(day: string, zone: string): string | undefined {
  if (day === '') return '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? startOf(plusDays(day, 1), zone) : undefined;
}

let shown: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined;

/** A time as people of a zone read it, such as `2 Mar 2026, 09:04`. */
export function timeText(instant: string, zone: string): string {
  if (shown?.zone !== zone) {
    const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
    shown = { zone, format };
  }
  return shown.format.format(new Date(instant));
}
