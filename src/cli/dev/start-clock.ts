import type { Clock, ClockState } from '../../base/clock.ts';
import { formatMillisecond, instantMs } from '../../base/instants.ts';
import type { SnapshotNotes } from '../../contract/services/snapshots.ts';
import { readClockState, writeClockState } from '../../dev/clock/clock-file.ts';
import { type MovableClock, movableClock, UNMOVED } from '../../dev/clock/movable-clock.ts';
import { CommandFailed } from '../failure.ts';

/** The clock at the start. */
export interface ClockStart {
  /** Unix milliseconds; undefined: its last time, or that of the machine. */
  readonly at_ms?: number | undefined;
  /** Whether it is frozen; undefined: as before, or running. */
  readonly isFrozen?: boolean | undefined;
}

/**
 * The clock after the restore of a snapshot. The clock of this machine may be behind that of the snapshot.
 * @source decision 869
 */
export function clockStateOf({ clock, clock_state: state }: SnapshotNotes, wallClock: Clock): ClockState {
  if (state.mode === 'frozen') return state;
  return { mode: 'running', offset_ms: Math.max(state.offset_ms, instantMs(clock) - wallClock.now()) };
}

/**
 * Opens the clock of a data folder with its stored state or that of the options. It goes back only if the database `isEmpty`.
 * @source decision 866
 */
export function startClock(
  dataFolder: string,
  wallClock: Clock,
  { at_ms, isFrozen, isEmpty = false }: ClockStart & { readonly isEmpty?: boolean },
): MovableClock {
  const known = knownState(dataFolder, at_ms !== undefined);
  const stored = known ?? UNMOVED;
  const store = (state: ClockState): void => writeClockState(dataFolder, state);
  const clock = movableClock(wallClock, stored, store);
  if (at_ms === undefined) {
    if (isFrozen) clock.freeze();
    return clock;
  }
  if (known && !(isEmpty && known === UNMOVED) && at_ms < clock.now()) {
    throw new CommandFailed(
      `the clock of ${dataFolder} shows ${formatMillisecond(clock.now())} and goes forward only; leave --clock out, or give another folder with --data`,
    );
  }
  const isStill = isFrozen ?? stored.mode === 'frozen';
  const state: ClockState = isStill
    ? { mode: 'frozen', now_ms: at_ms }
    : { mode: 'running', offset_ms: at_ms - wallClock.now() };
  store(state);
  return movableClock(wallClock, state, store);
}

/** Undefined when the file is damaged and the options have a time. @throws Error when they have none */
function knownState(dataFolder: string, hasTime: boolean): ClockState | undefined {
  try {
    return readClockState(dataFolder);
  } catch (error) {
    if (hasTime) return undefined;
    throw error;
  }
}
