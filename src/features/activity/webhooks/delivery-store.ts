import { after } from '../../../base/timers.ts';
import type { Store } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';

/** Events of the log that were taken up together; the log is settled up to them when nothing of them is open. */
export interface TakenUp {
  readonly until: number;
  open: number;
}

/** What has come of a delivery, to be stored. */
export interface Outcome {
  readonly delivery: WebhookDelivery;
  /** With what it was taken up; undefined when it was stored before. */
  readonly from: TakenUp | undefined;
  /** Is called when it is durable. */
  readonly stored?: () => void;
}

/**
 * Stores what comes of deliveries, many in one unit of work, and with them up to where the log is settled: after a
 * restart the log is taken up again from there.
 */
export interface Bookkeeping {
  /** Everything up to a position is settled; `isStored` when that is known already. */
  begin(position: number, isStored: boolean): void;
  /** Events that were taken up; `open` of them are still to be told of. */
  takeUp(until: number, open: number): TakenUp;
  note(outcome: Outcome): void;
  /** One of those taken up comes to nothing: nothing is stored for it. */
  drop(from: TakenUp): void;
  /** So much waits that nothing more should be begun. */
  isBehind(): boolean;
  /** Resolves when everything noted so far is durable, or when that failed. */
  settled(): Promise<void>;
}

/** What comes within this time is stored together, in milliseconds. */
const TOGETHER_MS = 20;
/** How soon it is noted that the log is settled further, when there is nothing else to store. */
const PROGRESS_MS = 1000;
const AGAIN_MS = 1000;
const WAITING_MAX = 2000;

/** Opens the books over a store. `caughtUp` is called when what was behind no longer is. */
export function openBooks({
  store,
  failed,
  waitUntilCaughtUp,
}: {
  readonly store: Store;
  readonly failed: (error: unknown) => void;
  readonly waitUntilCaughtUp: () => void;
}): Bookkeeping {
  let waiting: Outcome[] = [];
  const taken: TakenUp[] = [];
  let position = 0;
  let stored = -1;
  let running: Promise<void> | undefined;
  let planned: { at_ms: number; callOff: () => void } | undefined;

  const advance = (): void => {
    let count = 0;
    while (count < taken.length && taken[count]!.open === 0) position = taken[count++]!.until;
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
    for (const { from } of outcomes) if (from) from.open -= 1;
    // If this fails, nothing is lost by what has been counted: only a later unit that succeeds makes it known.
    advance();
    const reached = position;
    try {
      await store.write(async (tx) => {
        await tx.webhookDeliveries.putAll(outcomes.map(({ delivery }) => delivery));
        if (reached !== stored) await tx.webhookDeliveries.putProgress(reached);
        for (const [key, run_at] of firstOf(outcomes)) {
          await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
        }
      });
    } catch (error) {
      failed(error);
      // They are counted already, and the log is not told to be settled before they are stored.
      waiting = [
        ...outcomes.map(({ delivery, stored: done }) => ({ delivery, from: undefined, ...(done && { stored: done }) })),
        ...waiting,
      ];
      throw error;
    }
    stored = reached;
    for (const { stored: done } of outcomes) done?.();
    if (wasBehind) waitUntilCaughtUp();
  };
  const flush = (): void => {
    planned = undefined;
    running ??= write()
      .then(
        () => TOGETHER_MS,
        () => AGAIN_MS,
      )
      .then((ms) => {
        running = undefined;
        if (waiting.length > 0) plan(ms);
        else if (position !== stored) plan(PROGRESS_MS);
      });
  };

  return {
    begin(from, isStored) {
      position = from;
      if (isStored) stored = from;
      else plan(0);
    },
    takeUp(until, open) {
      const batch = { until, open };
      taken.push(batch);
      advance();
      if (position !== stored) plan(PROGRESS_MS);
      return batch;
    },
    note(outcome) {
      waiting.push(outcome);
      plan(TOGETHER_MS);
    },
    drop(from) {
      from.open -= 1;
      advance();
      plan(PROGRESS_MS);
    },
    isBehind: () => waiting.length >= WAITING_MAX,
    async settled() {
      await running;
      planned?.callOff();
      planned = undefined;
      if (waiting.length === 0 && position === stored) return;
      await write().catch(() => undefined);
    },
  };
}

/** When the first of each webhook is to be sent again. */
function firstOf(outcomes: readonly Outcome[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { delivery } of outcomes) {
    const { webhook_id, next_at } = delivery;
    if (next_at === null) continue;
    const known = first.get(webhook_id);
    if (known === undefined || next_at < known) first.set(webhook_id, next_at);
  }
  return first;
}
