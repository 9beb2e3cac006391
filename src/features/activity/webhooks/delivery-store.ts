import { after, elapsed_ms } from '../../../base/timers.ts';
import type { Store, WriteTransaction } from '../../../contract/store/store.ts';
import type { WebhookLease } from '../../../contract/store/webhook-leases.ts';
import { WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import type { LogBatch, SettledPosition } from './settled-position.ts';
import { invalidate } from './validity.ts';

/** A webhook that this node has leased. */
export interface LeasedWebhook extends WebhookLease {
  readonly settled: SettledPosition;
  /** The position that is stored. */
  storedPosition: number;
  /** When the lease ends unless it is renewed, in `elapsed_ms`; never later than in the database. */
  leasedUntil_ms: number;
  /** The lease is lost: nothing more may be sent or stored. */
  isLost: boolean;
}

/** The outcome of a delivery, to be stored. */
export interface DeliveryOutcome {
  readonly webhook: LeasedWebhook;
  readonly delivery: WebhookDelivery;
  /** Its batch; undefined when it was stored before. */
  readonly batch: LogBatch | undefined;
  /** The receiver answered that it is gone: the webhook becomes invalid. */
  readonly isGone?: boolean;
  /** Called once it is durable. */
  readonly onStored?: () => void;
}

/**
 * Stores the outcomes of deliveries, many in one unit of work, together with the positions up to which the log is
 * settled; the next holder of a webhook continues from there. A unit stores only what belongs to webhooks that this
 * node still holds.
 * @source decision 771
 */
export interface DeliveryStore {
  put(outcome: DeliveryOutcome): void;
  /** Counts a delivery of a batch as done without storing it. */
  discard(webhook: LeasedWebhook, batch: LogBatch): void;
  /** Stores all positions that have changed. */
  storePositions(): void;
  /** Renews leases that were not renewed lately: storing anything renews too. */
  renew(): Promise<void>;
  /** Stores everything and gives leases back, in one unit of work; resolves when that is done. */
  giveBack(webhooks: readonly LeasedWebhook[]): Promise<void>;
  /** Whether no outcome waits to be stored. */
  isIdle(): boolean;
  /** Whether too many outcomes wait for new sends to start. */
  isFull(): boolean;
  /** Resolves when everything so far, and what is to be given back, is durable, or when storing it failed. */
  flush(): Promise<void>;
}

/** The dependencies of a delivery store. */
export interface DeliveryStoreDependencies {
  readonly store: Store;
  readonly node: string;
  /** How long leases last unless they are renewed; undefined when they do not end. */
  readonly lease_s: number | undefined;
  /** The webhooks that the node holds. */
  readonly held: () => Iterable<LeasedWebhook>;
  /** Called when another node has taken a webhook, or it was removed. */
  readonly onLost: (webhook: LeasedWebhook) => void;
  /** Called when a lease was renewed after it had ended. */
  readonly onRenewed: (webhook: LeasedWebhook) => void;
  readonly onError: (error: unknown) => void;
  /** Called when the store is no longer full. */
  readonly onRoom: () => void;
}

/** Outcomes that arrive within this many milliseconds are stored together. */
const FLUSH_MS = 20;
/** Delay before progress is stored without any outcome. */
const PROGRESS_MS = 1000;
const RETRY_MS = 1000;
const WAITING_MAX = 2000;
/** Leases are renewed when this share of one is left, together with all that have less than the other share left. */
const RENEWED_AT = 0.6;
const RENEWED_TOGETHER = 0.9;

/** What one unit of work stores. */
interface Books {
  readonly outcomes: readonly DeliveryOutcome[];
  /** The webhooks that it is about, with the positions to store. */
  readonly positions: ReadonlyMap<LeasedWebhook, number>;
  readonly leaving: readonly Leaving[];
}

interface Leaving {
  readonly webhook: LeasedWebhook;
  readonly done: () => void;
}

/** Opens a delivery store. */
export function openDeliveryStore(parts: DeliveryStoreDependencies): DeliveryStore {
  const { store, node, lease_s, held, onLost, onRenewed, onError, onRoom } = parts;
  let waiting: DeliveryOutcome[] = [];
  let leaving: Leaving[] = [];
  /** Webhooks whose position may have changed without an outcome. */
  const discarded = new Set<LeasedWebhook>();
  /** Webhooks that may be lost. */
  const doubtful = new Set<LeasedWebhook>();
  const givenBack = new WeakSet<LeasedWebhook>();
  let isRenewing = false;
  let running: Promise<void> | undefined;
  let planned: { at_ms: number; callOff: () => void } | undefined;

  const plan = (ms: number): void => {
    const at_ms = elapsed_ms() + ms;
    if (running || (planned && planned.at_ms <= at_ms)) return;
    planned?.callOff();
    planned = { at_ms, callOff: after(ms, start) };
  };

  const takeBooks = (): Books => {
    const outcomes = waiting.filter(({ webhook }) => !webhook.isLost);
    // Counting before the write is safe: the position is stored only by a unit that succeeds.
    for (const { batch } of outcomes) if (batch) batch.pending -= 1;
    const concerned = new Set([...outcomes, ...leaving].map(({ webhook }) => webhook));
    for (const webhook of doubtful) concerned.add(webhook);
    for (const webhook of discarded) if (webhook.settled.get() !== webhook.storedPosition) concerned.add(webhook);
    const positions = new Map<LeasedWebhook, number>();
    for (const webhook of concerned) if (!webhook.isLost) positions.set(webhook, webhook.settled.get());
    const books = { outcomes, positions, leaving };
    waiting = [];
    leaving = [];
    discarded.clear();
    doubtful.clear();
    return books;
  };
  const extend = (webhook: LeasedWebhook, sentAt_ms: number): void => {
    if (lease_s === undefined) return;
    const hadEnded = webhook.leasedUntil_ms <= elapsed_ms();
    webhook.leasedUntil_ms = Math.max(webhook.leasedUntil_ms, sentAt_ms + lease_s * 1000);
    if (hadEnded) onRenewed(webhook);
  };
  const putBack = ({ outcomes, positions, leaving: left }: Books): void => {
    // They are counted already; the position is stored only together with them.
    waiting = [...outcomes.map((outcome) => ({ ...outcome, batch: undefined })), ...waiting];
    leaving = [...left, ...leaving];
    for (const webhook of positions.keys()) doubtful.add(webhook);
  };

  const write = async (): Promise<void> => {
    const wasFull = waiting.length >= WAITING_MAX;
    const books = takeBooks();
    const { outcomes, positions, leaving: left } = books;
    const sentAt_ms = elapsed_ms();
    let kept: ReadonlySet<string> = new Set();
    if (positions.size > 0) {
      try {
        await store.write(async (tx) => {
          const leases = [...positions].map(([webhook, settled_position]) => {
            const { webhook_id, fencing_number } = webhook;
            return { webhook_id, fencing_number, settled_position };
          });
          kept = await tx.webhookLeases.keep(node, leases, lease_s);
          const mayStore = ({ webhook }: { readonly webhook: LeasedWebhook }): boolean => kept.has(webhook.webhook_id);
          await storeOutcomes(tx, outcomes.filter(mayStore));
          await tx.webhookLeases.giveBack(
            node,
            left.filter(mayStore).map(({ webhook }) => webhook),
          );
        });
      } catch (error) {
        onError(error);
        putBack(books);
        throw error;
      }
    }
    for (const [webhook, position] of positions) {
      webhook.storedPosition = position;
      if (kept.has(webhook.webhook_id)) extend(webhook, sentAt_ms);
      else if (!webhook.isLost) {
        webhook.isLost = true;
        onLost(webhook);
      }
    }
    for (const { webhook, onStored } of outcomes) if (!webhook.isLost) onStored?.();
    for (const { done } of left) done();
    if (wasFull) onRoom();
  };
  const start = (): void => {
    planned = undefined;
    running ??= write()
      .then(
        () => FLUSH_MS,
        () => RETRY_MS,
      )
      .then((ms) => {
        running = undefined;
        if (waiting.length > 0 || leaving.length > 0 || doubtful.size > 0) plan(ms);
        else if (discarded.size > 0) plan(PROGRESS_MS);
      });
  };

  return {
    put(outcome) {
      if (outcome.webhook.isLost) return;
      waiting.push(outcome);
      // Nothing more should be sent to a receiver that is gone.
      plan(outcome.isGone ? 0 : FLUSH_MS);
    },
    discard(webhook, batch) {
      batch.pending -= 1;
      discarded.add(webhook);
      plan(PROGRESS_MS);
    },
    storePositions() {
      for (const webhook of held()) discarded.add(webhook);
      if (discarded.size > 0) plan(0);
    },
    async renew() {
      if (lease_s === undefined || isRenewing) return;
      const isOlder = (share: number) => (webhook: LeasedWebhook) =>
        !givenBack.has(webhook) && webhook.leasedUntil_ms - elapsed_ms() < share * lease_s * 1000;
      if (![...held()].some(isOlder(RENEWED_AT))) return;
      const webhooks = [...held()].filter(isOlder(RENEWED_TOGETHER));
      isRenewing = true;
      try {
        const sentAt_ms = elapsed_ms();
        const renewed = await store.writeUrgent((tx) => tx.webhookLeases.renew(node, webhooks, lease_s));
        for (const webhook of webhooks) {
          if (renewed.has(webhook.webhook_id)) extend(webhook, sentAt_ms);
          else doubtful.add(webhook);
        }
        if (doubtful.size > 0) plan(0);
      } catch {
        // Tried again soon, and requests report an unavailable database.
      } finally {
        isRenewing = false;
      }
    },
    async giveBack(webhooks) {
      for (const webhook of webhooks) givenBack.add(webhook);
      const all = webhooks.map(
        (webhook) => new Promise<void>((done) => void (webhook.isLost ? done() : leaving.push({ webhook, done }))),
      );
      plan(0);
      await Promise.all(all);
    },
    isIdle: () => running === undefined && waiting.length === 0,
    isFull: () => waiting.length >= WAITING_MAX,
    async flush() {
      await running;
      planned?.callOff();
      planned = undefined;
      await write().catch(() => undefined);
    },
  };

  async function storeOutcomes(tx: WriteTransaction, outcomes: readonly DeliveryOutcome[]): Promise<void> {
    await tx.webhookDeliveries.putAll(outcomes.map(({ delivery }) => delivery));
    const gone = new Set(outcomes.filter(({ isGone }) => isGone).map(({ delivery }) => delivery.webhook_id));
    // After its deliveries, which it gives up.
    for (const id of gone) await invalidate(tx, id, 'Status 410');
    for (const [key, run_at] of firstRetries(outcomes)) {
      if (!gone.has(key)) await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
    }
  }
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
