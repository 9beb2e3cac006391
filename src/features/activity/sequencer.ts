import { every } from '../../base/timers.ts';
import type { LoggedEvent } from '../../contract/store/events.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { singleRun } from './single-run.ts';

/** Dependencies of the sequencer. */
export interface SequencerDependencies {
  readonly store: Store;
  /** Called with events and their new positions, in log order. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void;
  /** Called when this process has appended events but another process assigns positions. */
  readonly onOthersTurn: () => void;
  /** Called when positions could not be assigned; retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Assigns log positions to events while no other process does. Unless started, it only reports events appended by this
 * process.
 */
export interface Sequencer {
  /** Starts with events left behind by ended processes. */
  start(): Promise<void>;
  /** Checks for events of other processes. */
  wake(): void;
  stop(): Promise<void>;
}

/** Maximum number of positions assigned in a unit of work. */
const BATCH_MAX = 500;
/** Interval of checks for events of other processes, and for ended processes, in milliseconds. */
const POLL_MS = 250;

/**
 * Runs the sequencer of the store: whenever a unit of work of this process has appended events, and four times a second
 * for those of other processes. Does nothing on SQLite.
 * @source decision 757, 759, 764
 */
export function openSequencer(parts: SequencerDependencies): Sequencer {
  const {
    store: { sequencer, onInvalidate },
    onEvents,
    onOthersTurn,
    onError,
  } = parts;
  let isRunning = false;
  let hasWork = false;
  /** Whether this process has appended events since the last check. */
  let hasAppended = false;
  let stopPolling = (): void => {};

  const sequenceAll = async (): Promise<void> => {
    do {
      hasWork = false;
      const isOwn = hasAppended;
      hasAppended = false;
      const events = await sequencer!.sequence(BATCH_MAX);
      if (events === undefined) {
        if (isOwn) onOthersTurn();
        continue;
      }
      if (events.length > 0) onEvents(events);
      if (events.length >= BATCH_MAX) hasWork = true;
    } while (isRunning && hasWork);
  };
  const runs = singleRun(sequenceAll, { hasMore: () => isRunning && hasWork, onError });
  const wake = (): void => {
    hasWork = true;
    if (isRunning) runs.run();
  };
  if (sequencer) {
    onInvalidate(['outbox'], () => {
      if (!isRunning) return onOthersTurn();
      hasAppended = true;
      wake();
    });
  }

  return {
    wake,
    async start() {
      if (!sequencer) return;
      isRunning = true;
      wake();
      await runs.ended();
      stopPolling = every(POLL_MS, wake);
    },
    async stop() {
      isRunning = false;
      stopPolling();
      await runs.ended();
    },
  };
}
