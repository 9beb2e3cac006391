import { formatInstant, instantMs } from '../base/instants.ts';
import { dateLocale } from '../base/language.ts';
import { addDays, localDateAt, startOfDay } from '../base/zones.ts';

/** The local day on which a flight starts, such as `2026-03-02`; '' without a start. @source decision 1002 */
export function firstDay(start: string | null, zone: string): string {
  return start === null ? '' : localDateAt(instantMs(start), zone);
}

/** The last local day of a flight, whose end is exclusive. */
export function lastDay(end: string | null, zone: string): string {
  return end === null ? '' : localDateAt(instantMs(end) - 1000, zone);
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The start of a local day as UTC text; '' stays '', undefined if invalid. */
export function startOf(day: string, zone: string): string | undefined {
  if (day === '') return '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? formatInstant(Date.parse(startOfDay(day, zone))) : undefined;
}

/** The end of a local day, which is the start of the next, as UTC text; otherwise like `startOf`. */
export function endOf(day: string, zone: string): string | undefined {
  if (day === '') return '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? startOf(addDays(day, 1), zone) : undefined;
}

let latest: { readonly key: string; readonly format: Intl.DateTimeFormat } | undefined;

/** Formats an instant in a time zone, such as `2 Mar 2026, 09:04`, in the language of the page. */
export function timeText(instant: string, zone: string): string {
  const key = dateLocale() + zone;
  if (latest?.key !== key) {
    const format = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
    latest = { key, format };
  }
  return latest.format.format(new Date(instant));
}

/** Maximum length of a date range. */
export const RANGE_DAYS_MAX = 92;

/** Preset date ranges in display order. */
export const PRESETS = ['today', 'yesterday', 'last_7', 'last_14', 'last_30', 'this_month', 'last_month'] as const;

/** A preset date range. */
export type Preset = (typeof PRESETS)[number];

/** The local days of a preset, in order. */
export function daysOfPreset(preset: Preset, now: string, zone: string): string[] {
  const today = localDateAt(Date.parse(now), zone);
  const month = `${today.slice(0, 7)}-01`;
  const before = addDays(month, -1);
  const [first, last] = {
    today: [today, today],
    yesterday: [addDays(today, -1), addDays(today, -1)],
    last_7: [addDays(today, -6), today],
    last_14: [addDays(today, -13), today],
    last_30: [addDays(today, -29), today],
    this_month: [month, today],
    last_month: [`${before.slice(0, 7)}-01`, before],
  }[preset] as [string, string];
  return daysBetween(first, last);
}

/** The last `count` local days, ending today. */
export function lastDays(now: string, zone: string, count: number): string[] {
  const today = localDateAt(Date.parse(now), zone);
  return daysBetween(addDays(today, 1 - count), today);
}

/** The days of an inclusive range. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The preceding range of the same length. */
export function daysBefore(days: readonly string[]): string[] {
  return daysBetween(addDays(days[0]!, -days.length), addDays(days[0]!, -1));
}

/** Whether a text is a calendar day, such as `2026-03-02`. */
export function isDay(text: string): boolean {
  return text !== '' && startOf(text, 'UTC')?.startsWith(text) === true;
}
