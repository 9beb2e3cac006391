import type { Clock, ClockState } from '../../base/clock.ts';

/** The clock of a service in development. It goes forward, unless everything goes back with it. */
export interface MovableClock extends Clock {
  readonly mode: ClockState['mode'];
  /** How far it is ahead of the wall clock, in milliseconds; negative when it is behind. */
  offset_ms(): number;
  /** Whether it shows another time than the wall clock. */
  isMoved(): boolean;
  /** @throws RangeError when the time is before what it shows */
  moveTo(ms: number): void;
  freeze(): void;
  /** Goes on from what it shows. */
  run(): void;
  /** What `turnBack` takes. */
  state(): ClockState;
  /** Shows what it showed earlier, because everything that is dated by it is as it was then. */
  turnBack(state: ClockState): void;
  /** Stands still whatever its mode, until the result is called, and can be moved meanwhile. */
  hold(): () => void;
  /** Stands still at an earlier time until the result is called, to create data of the past. Nothing is stored. */
  backdate(ms: number): () => void;
}

/** How clocks start that were never moved. */
export const UNMOVED: ClockState = { mode: 'running', offset_ms: 0 };

/**
 * Makes a clock over the wall clock. `store` is called with each state before it takes effect, so that no stored date is
 * later than the clock after a restart.
 * @source decision 866
 */
export function movableClock(wallClock: Clock, start: ClockState, store: (state: ClockState) => void): MovableClock {
  let state = start;
  /** Its time while it is held. */
  let held_ms: number | undefined;

  const now = (): number => {
    if (held_ms !== undefined) return held_ms;
    return state.mode === 'frozen' ? state.now_ms : wallClock.now() + state.offset_ms;
  };
  const turnTo = (mode: ClockState['mode'], ms: number): void => {
    const next: ClockState = mode === 'frozen' ? { mode, now_ms: ms } : { mode, offset_ms: ms - wallClock.now() };
    store(next);
    state = next;
    if (held_ms !== undefined) held_ms = ms;
  };
  return {
    now,
    get mode() {
      return state.mode;
    },
    offset_ms: () => now() - wallClock.now(),
    isMoved: () => state.mode === 'frozen' || state.offset_ms !== 0 || held_ms !== undefined,
    moveTo(ms) {
      if (ms < now()) throw new RangeError('the clock goes forward only');
      if (ms > now()) turnTo(state.mode, ms);
    },
    freeze: () => turnTo('frozen', now()),
    run() {
      if (state.mode === 'frozen') turnTo('running', now());
    },
    state: () => state,
    turnBack(earlier) {
      store(earlier);
      state = earlier;
    },
    hold() {
      held_ms = now();
      return () => {
        const ms = now();
        held_ms = undefined;
        // Wall time that passed meanwhile does not count.
        if (state.mode === 'running') turnTo('running', ms);
      };
    },
    backdate(ms) {
      held_ms = ms;
      return () => {
        held_ms = undefined;
      };
    },
  };
}
