import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockState } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { UNMOVED } from './movable-clock.ts';

/** The name of the file in the data folder that has the state of the clock; it exists once the clock was moved. */
export const CLOCK_FILE = 'clock.json';

/** The state of the clock of a data folder. @throws Error when the file is damaged */
export function readClockState(dataFolder: string): ClockState {
  const path = join(dataFolder, CLOCK_FILE);
  if (!existsSync(path)) return UNMOVED;
  try {
    const { mode, now, offset_ms } = JSON.parse(readFileSync(path, 'utf8'));
    const now_ms = Date.parse(now);
    if (mode === 'frozen' && Number.isFinite(now_ms)) return { mode, now_ms };
    if (mode === 'running' && Number.isFinite(offset_ms)) return { mode, offset_ms };
  } catch {
    // The same as other contents.
  }
  throw new Error(`${path} does not have the state of a clock; start with --clock and the time that it is to show`);
}

/** Stores it at once: readers never see a part of the file. */
export function writeClockState(dataFolder: string, state: ClockState): void {
  const path = join(dataFolder, CLOCK_FILE);
  const { mode } = state;
  const content = mode === 'frozen' ? { mode, now: formatMillisecond(state.now_ms) } : state;
  writeFileSync(`${path}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
