import { formatMillisecond, instantMs } from '../../base/instants.ts';
import { after } from '../../base/timers.ts';
import type { PlannedJob } from '../../contract/store/jobs.ts';
import type { MovableClock } from './movable-clock.ts';

/** The deferred work of the service, which an advance runs step by step. */
export interface DeferredWork {
  /** Pauses all deferred work until the result is called; resolves once nothing is running. */
  hold(): Promise<() => void>;
  /** The earliest job, due or not. */
  findNext(which: 'housekeeping' | 'others'): Promise<PlannedJob | undefined>;
  /** Runs the first due job; resolves with it once it has ended or failed. */
  runFirst(which: 'housekeeping' | 'others'): Promise<PlannedJob | undefined>;
  /**
   * Resolves when all events have been delivered: to the event log, streams and webhooks. Rejects with the reason of the
   * signal.
   */
  settle(signal: AbortSignal): Promise<void>;
}

/** The progress of an advance. */
interface Progress {
  readonly status: 'ready' | 'advancing' | 'failed';
  /** Its target, in milliseconds since 1970; undefined when none is running. */
  readonly until_ms: number | undefined;
  /** Jobs done by the last advance. */
  readonly stepsDone: number;
  /** Why the last advance failed. */
  readonly failure: string | undefined;
}

/** Moves the clock through all due jobs. */
export interface Advancing {
  progress(): Progress;
  /** Resolves when the clock has reached the target or the advance has failed. Must not be called during an advance. */
  to(target_ms: number): Promise<void>;
}

/** Limits of one advance. */
const LIMITS = { steps_max: 100_000, duration_ms_max: 600_000 };

/**
 * Moves the clock from one due job to the next: work that was planned for ten o'clock sees ten o'clock, and so do receivers
 * of its events. Jobs run one after the other, ordered by time, kind and key, and each is awaited with all of its effects,
 * so that results are reproducible. Housekeeping runs at the end of its day: it would be most of the work, and its time is
 * unimportant.
 * @source decision 867
 */
export function openAdvancing(clock: MovableClock, work: DeferredWork, limits = LIMITS): Advancing {
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

/** Rounds a time up to midnight UTC. */
function endOfDay(ms: number): number {
  return Math.ceil(ms / DAY_MS) * DAY_MS;
}

function mostOf(done: ReadonlyMap<string, number>): string {
  const [first] = [...done].sort(([, one], [, other]) => other - one);
  return first ? `${first[0]} (${first[1]})` : 'none';
}
