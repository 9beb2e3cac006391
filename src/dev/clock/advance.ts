import { formatMillisecond, instantMs } from '../../base/instants.ts';
import { after } from '../../base/timers.ts';
import type { PlannedJob } from '../../contract/store/jobs.ts';
import type { MovableClock } from './movable-clock.ts';

/** Deferred work of the service, which the clock steps through. */
export interface DeferredWork {
  /** Does nothing by itself until the result is called; resolves when nothing is under way. */
  hold(): Promise<() => void>;
  /** The earliest job, due or not. */
  findNext(which: 'housekeeping' | 'others'): Promise<PlannedJob | undefined>;
  /** Does the first of the due jobs; resolves with it when it has ended or failed. */
  runFirst(which: 'housekeeping' | 'others'): Promise<PlannedJob | undefined>;
  /**
   * Resolves when what has happened has reached everybody: the event log, streams, webhooks. Rejects with the reason of
   * the signal.
   */
  settle(signal: AbortSignal): Promise<void>;
}

/** How far an advance has come. */
export interface Progress {
  readonly status: 'ready' | 'advancing' | 'failed';
  /** Where it goes, in milliseconds since 1970; undefined when none is under way. */
  readonly until_ms: number | undefined;
  /** Jobs done by the last one. */
  readonly stepsDone: number;
  /** Why the last one failed. */
  readonly failure: string | undefined;
}

/** Moves the clock through everything that is due on the way. */
export interface Advancing {
  progress(): Progress;
  /** Begins; resolves when the clock is there or the advance has failed. Not to be called while one is under way. */
  to(target_ms: number): Promise<void>;
}

/** Limits of one advance. */
export interface AdvanceLimits {
  readonly steps_max: number;
  readonly duration_ms_max: number;
}

const LIMITS: AdvanceLimits = { steps_max: 100_000, duration_ms_max: 600_000 };

/**
 * Steps from one due job to the next: work that was planned for ten o'clock sees ten o'clock, and so do receivers of
 * its events. Jobs run one after the other in the order of their times, kinds and keys, and each is waited for with all that
 * follows from it, so that the same program gives the same result each time. Housekeeping waits for the end of its day:
 * it would be most of the work, and its time is unimportant.
 * @source decision 867
 */
export function openAdvancing(clock: MovableClock, work: DeferredWork, limits: AdvanceLimits = LIMITS): Advancing {
  let progress: Progress = { status: 'ready', until_ms: undefined, stepsDone: 0, failure: undefined };

  async function step(target_ms: number, done: Map<string, number>): Promise<boolean> {
    const next = await work.findNext('others');
    const chore = await work.findNext('housekeeping');
    const next_ms = next ? instantMs(next.run_at) : Number.POSITIVE_INFINITY;
    const chore_ms = chore ? instantMs(chore.run_at) : Number.POSITIVE_INFINITY;
    const choreStop_ms = Math.min(endOfDay(Math.max(chore_ms, clock.now())), target_ms);
    const isChore = chore_ms <= target_ms && choreStop_ms < next_ms;
    if (!isChore && next_ms > target_ms) return false;
    clock.moveTo(Math.max(clock.now(), isChore ? choreStop_ms : next_ms));
    const { kind } = (await work.runFirst(isChore ? 'housekeeping' : 'others')) ?? (isChore ? chore! : next!);
    done.set(kind, (done.get(kind) ?? 0) + 1);
    progress = { ...progress, stepsDone: progress.stepsDone + 1 };
    return true;
  }

  async function stepThrough(target_ms: number): Promise<void> {
    const done = new Map<string, number>();
    const late = new AbortController();
    const callOff = after(limits.duration_ms_max, () => late.abort());
    const tooMuch = (what: string): Error =>
      new Error(`${what}, with the clock at ${formatMillisecond(clock.now())}; most were of the kind ${mostOf(done)}`);
    try {
      await work.settle(late.signal);
      while (await step(target_ms, done)) {
        await work.settle(late.signal);
        if (progress.stepsDone >= limits.steps_max) throw tooMuch(`${limits.steps_max} jobs are done and more are due`);
        late.signal.throwIfAborted();
      }
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw tooMuch(`${progress.stepsDone} jobs have taken ${limits.duration_ms_max / 1000} s`);
    } finally {
      callOff();
    }
    clock.moveTo(target_ms);
  }

  return {
    progress: () => progress,
    async to(target_ms) {
      progress = { status: 'advancing', until_ms: target_ms, stepsDone: 0, failure: undefined };
      let failure: string | undefined;
      const release = clock.hold();
      try {
        const resume = await work.hold();
        try {
          await stepThrough(target_ms);
        } finally {
          resume();
        }
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
      } finally {
        release();
        progress = { ...progress, status: failure === undefined ? 'ready' : 'failed', until_ms: undefined, failure };
      }
    },
  };
}

const DAY_MS = 86_400_000;

/** The midnight in UTC that a time is not after. */
function endOfDay(ms: number): number {
  return Math.ceil(ms / DAY_MS) * DAY_MS;
}

function mostOf(done: ReadonlyMap<string, number>): string {
  const [first] = [...done].sort(([, one], [, other]) => other - one);
  return first ? `${first[0]} (${first[1]})` : 'none';
}
