import { after } from '../../../base/timers.ts';
import type { Store } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';

/** A batch of the log; it is complete when none of its deliveries is pending. */
export interface LogBatch {
  readonly lastPosition: number;
  pending: number;
}

/** The outcome of a delivery, to be stored. */
export interface DeliveryOutcome {
  readonly delivery: WebhookDelivery;
  /** Its batch; undefined when it was stored before. */
  readonly batch: LogBatch | undefined;
  /** Called once it is durable. */
  readonly onStored?: () => void;
}

/**
 * Stores the outcomes of deliveries, many in one unit of work, together with the position up to which the log is
 * complete; a restart continues from there.
 */
export interface DeliveryStore {
  /** Starts with everything complete up to a position; `isStored`: that position is stored already. */
  startAt(position: number, isStored: boolean): void;
  /** Adds a batch that ends at a position and has `pending` deliveries. */
  addBatch(lastPosition: number, pending: number): LogBatch;
  put(outcome: DeliveryOutcome): void;
  /** Counts a delivery of a batch as done without storing it. */
  discard(batch: LogBatch): void;
  /** Whether too many outcomes wait for new sends to start. */
  isFull(): boolean;
  /** Resolves when everything so far is durable, or when storing it failed. */
  flush(): Promise<void>;
}

/** Outcomes that arrive within this many milliseconds are stored together. */
const FLUSH_MS = 20;
/** Delay before progress is stored without any outcome. */
const PROGRESS_MS = 1000;
const RETRY_MS = 1000;
const WAITING_MAX = 2000;

/** Opens a delivery store. `onRoom` is called when it is no longer full. */
export function openDeliveryStore({
  store,
  onError,
  onRoom,
}: {
  readonly store: Store;
  readonly onError: (error: unknown) => void;
  readonly onRoom: () => void;
}): DeliveryStore {
  let waiting: DeliveryOutcome[] = [];
  const taken: LogBatch[] = [];
  let position = 0;
  let stored = -1;
  let running: Promise<void> | undefined;
  let planned: { at_ms: number; callOff: () => void } | undefined;

  const advance = (): void => {
    let count = 0;
    while (count < taken.length && taken[count]!.pending === 0) position = taken[count++]!.lastPosition;
    if (count > 0) taken.splice(0, count);
  };
  const plan = (ms: number): void => {
    const at_ms = performance.now() + ms;
    if (running || (planned && planned.at_ms <= at_ms)) return;
    planned?.callOff();
    planned = { at_ms, callOff: after(ms, flush) };
  };
  const write = async (): Promise<void> => {
    const outcomes = waiting;
    waiting = [];
    const wasBehind = outcomes.length >= WAITING_MAX;
    for (const { batch } of outcomes) if (batch) batch.pending -= 1;
    // Counting before the write is safe: the position is stored only by a unit that succeeds.
    advance();
    const reached = position;
    try {
      await store.write(async (tx) => {
        await tx.webhookDeliveries.putAll(outcomes.map(({ delivery }) => delivery));
        if (reached !== stored) await tx.webhookDeliveries.putProgress(reached);
        for (const [key, run_at] of firstRetries(outcomes)) {
          await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
        }
      });
    } catch (error) {
      onError(error);
      // They are counted already; the position is stored only together with them.
      waiting = [
        ...outcomes.map(({ delivery, onStored }) => ({ delivery, batch: undefined, ...(onStored && { onStored }) })),
        ...waiting,
      ];
      throw error;
    }
    stored = reached;
    for (const { onStored } of outcomes) onStored?.();
    if (wasBehind) onRoom();
  };
  const flush = (): void => {
    planned = undefined;
    running ??= write()
      .then(
        () => FLUSH_MS,
        () => RETRY_MS,
      )
      .then((ms) => {
        running = undefined;
        if (waiting.length > 0) plan(ms);
        else if (position !== stored) plan(PROGRESS_MS);
      });
  };

  return {
    startAt(from, isStored) {
      position = from;
      if (isStored) stored = from;
      else plan(0);
    },
    addBatch(lastPosition, pending) {
      const batch = { lastPosition, pending };
      taken.push(batch);
      advance();
      if (position !== stored) plan(PROGRESS_MS);
      return batch;
    },
    put(outcome) {
      waiting.push(outcome);
      plan(FLUSH_MS);
    },
    discard(batch) {
      batch.pending -= 1;
      advance();
      plan(PROGRESS_MS);
    },
    isFull: () => waiting.length >= WAITING_MAX,
    async flush() {
      await running;
      planned?.callOff();
      planned = undefined;
      if (waiting.length === 0 && position === stored) return;
      await write().catch(() => undefined);
    },
  };
}

/** The time of the first retry of each webhook. */
function firstRetries(outcomes: readonly DeliveryOutcome[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { delivery } of outcomes) {
    const { webhook_id, next_at } = delivery;
    if (next_at === null) continue;
    const known = first.get(webhook_id);
    if (known === undefined || next_at < known) first.set(webhook_id, next_at);
  }
  return first;
}
