import type { Barker } from './types.ts';

/** The clock of the service. Times are UTC texts such as `2026-03-02T09:00:00Z`, durations are like `P7D` and `PT30M`. */
export interface Clock {
  /** What it shows, with milliseconds. */
  now(): Promise<string>;
  /** Everything about it. */
  show(): Promise<ClockState>;
  /** Moves it forward through everything that is due on the way; resolves when it is there. @throws Refused */
  advance(by: string): Promise<ClockState>;
  /** The same, to a time. @throws Refused */
  advanceTo(time: string): Promise<ClockState>;
  /** Moves it forward at once: what is due on the way is done then. @throws Refused */
  set(time: string): Promise<ClockState>;
  /** Lets it stand still. */
  freeze(): Promise<ClockState>;
  /** Lets it run on from what it shows. */
  run(): Promise<ClockState>;
}

/** The state of the clock. */
export interface ClockState {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  /** How far it is ahead of the clock of the machine. */
  readonly offset_s: number;
  readonly status: 'ready' | 'advancing' | 'failed';
  /** Where an advance goes; null when none is under way. */
  readonly until: string | null;
  /** The jobs that the last advance has done. */
  readonly steps_done: number;
  /** The job that is due next. */
  readonly next_due: { readonly at: string; readonly kind: string } | null;
  /** Why the last advance failed. */
  readonly failure?: string;
}

/** How long a call waits for the end of an advance, which takes no longer. */
const WAIT_MS = 600_000;

/** Makes the clock of a server. */
export function clockOf(dev: Barker['dev']): Clock {
  const show = () => dev<ClockState>('GET', '/_dev/clock');
  const put = (body: object) => dev<ClockState>('PUT', '/_dev/clock', body);
  const advance = (body: object) => dev<ClockState>('POST', '/_dev/clock/advance', { ...body, wait_ms: WAIT_MS });
  return {
    show,
    now: async () => (await show()).now,
    advance: (by) => advance({ by }),
    advanceTo: (to) => advance({ to }),
    set: (now) => put({ now }),
    freeze: () => put({ mode: 'frozen' }),
    run: () => put({ mode: 'running' }),
  };
}
