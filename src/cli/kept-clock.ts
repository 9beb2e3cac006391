import { type Clock, systemClock } from '../base/clock.ts';
import { readClockState } from '../dev/clock/clock-file.ts';
import { movableClock } from '../dev/clock/movable-clock.ts';
import type { Settings } from '../settings.ts';

/**
 * The clock of the service of a data folder: that of the machine, or the one that `barker dev` has moved. Commands that
 * write beside the service use it too.
 * @source decision 866
 */
export function keptClock({ data_folder }: Pick<Settings, 'data_folder'>): Clock {
  return movableClock(systemClock, readClockState(data_folder), () => {});
}
