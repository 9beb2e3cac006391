import { type Clock, systemClock } from '../base/clock.ts';
import { readClockState } from '../dev/clock/clock-file.ts';
import { movableClock } from '../dev/clock/movable-clock.ts';
import type { Settings } from '../settings.ts';

/**
 * The clock by which the service of a data folder dates what it stores: that of the machine, or what `barker dev` left it
 * at. Commands that write beside the service date by it too.
 * @source decision 866
 */
export function keptClock({ data_folder }: Pick<Settings, 'data_folder'>): Clock {
  return movableClock(systemClock, readClockState(data_folder), () => {});
}
