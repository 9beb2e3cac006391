import type { Knobs } from './knobs.ts';

/** How much people use the service by hour of the day: the mean is 1. */
const BY_HOUR = normalized([
  ...[0.55, 0.38, 0.26, 0.2, 0.2, 0.28, 0.5, 0.8, 1.0, 1.1, 1.15, 1.2],
  ...[1.28, 1.25, 1.2, 1.18, 1.2, 1.28, 1.4, 1.55, 1.62, 1.55, 1.27, 0.85],
]);
/** And by day of the week, from Sunday. */
const BY_WEEKDAY = normalized([0.92, 1.02, 1.04, 1.05, 1.04, 1.0, 0.93]);
const WEEKEND_DIP = normalized([0.45, 1, 1, 1, 1, 1, 0.45]);

/** The curve of a day by which delivery is planned: how much of it an hour has, 1 on average. */
export function hourWeight({ scenario }: Knobs, hour: number): number {
  return scenario.name === 'flat' ? 1 : BY_HOUR[Math.min(hour, 23)]!;
}

/** How busy a day is. @param date local date */
export function dayWeight({ scenario }: Knobs, date: string): number {
  if (scenario.name === 'flat') return 1;
  const weekday = new Date(date).getUTCDay();
  return (scenario.name === 'weekend_dip' ? WEEKEND_DIP : BY_WEEKDAY)[weekday]!;
}

/** Whether nobody can be reached in an hour. */
export function isOut({ scenario }: Knobs, hour: number): boolean {
  return scenario.name === 'outage' && scenario.hour === hour;
}

function normalized(weights: readonly number[]): readonly number[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return weights.map((weight) => weight / mean);
}
