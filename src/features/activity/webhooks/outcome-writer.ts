import { after, elapsed_ms } from '../../../base/timers.ts';
import { WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import type { WebhookLease } from '../../../storage/tables/webhook-leases.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { LogBatch, SettledPosition } from './settled-position.ts';
import { markInvalid } from './validity.ts';

/** A webhook that this node has leased. */
export interface LeasedWebhook extends WebhookLease {
  readonly settled: SettledPosition;
  /** The stored position. */
  storedPosition: number;
  /** When the lease ends unless it is renewed, in `elapsed_ms`; never later than in the database. */
  leasedUntil_ms: number;
  /** Whether the lease is lost: nothing may be sent or stored. */
  isLost: boolean;
}

/** The outcome of a delivery, to be stored. */
export interface DeliveryOutcome {
  readonly webhook: LeasedWebhook;
  readonly delivery: WebhookDelivery;
  /** Its batch; undefined if it was stored before. */
  readonly batch: LogBatch | undefined;
  /** Whether the receiver answered that it is gone, which makes the webhook invalid. */
  readonly isGone?: boolean;
  /** Called once it is durable. */
  readonly onStored?: () => void;
}

/** Dependencies of the outcome writer of a node. */
export interface OutcomeWriterDependencies {
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
  /** Called when the writer is no longer full. */
  readonly onRoom: () => void;
}

/** Time within which outcomes are batched, in milliseconds. */
const FLUSH_MS = 20;
/** Delay before progress is stored without any outcome. */
const PROGRESS_MS = 1000;
const RETRY_MS = 1000;
const WAITING_MAX = 2000;
/** A lease is renewed when this share of it is left, together with all that are due soon. */
const RENEWED_AT = 0.6;
const RENEWED_TOGETHER = 0.9;

/** The contents of one unit of work. */
interface Batch {
  readonly outcomes: readonly DeliveryOutcome[];
  /** The webhooks concerned, with the positions to store. */
  readonly positions: ReadonlyMap<LeasedWebhook, number>;
  readonly leaving: readonly Leaving[];
}

interface Leaving {
  readonly webhook: LeasedWebhook;
  readonly done: () => void;
}

/**
 * Stores the outcomes of deliveries, many in one unit of work, together with the positions up to which the log is
 * settled; the next holder of a webhook continues from there. A unit stores only what belongs to webhooks that this
 * node still holds.
 * @source decision 771
 */
export class OutcomeWriter {
  readonly #parts: OutcomeWriterDependencies;
  #waiting: DeliveryOutcome[] = [];
  #leaving: Leaving[] = [];
  /** Webhooks whose position may have changed without an outcome. */
  readonly #discarded = new Set<LeasedWebhook>();
  /** Webhooks whose lease may be lost. */
  readonly #doubtful = new Set<LeasedWebhook>();
  readonly #givenBack = new WeakSet<LeasedWebhook>();
  #isRenewing = false;
  #running: Promise<void> | undefined;
  #planned: { readonly at_ms: number; readonly callOff: () => void } | undefined;

  constructor(parts: OutcomeWriterDependencies) {
    this.#parts = parts;
  }

  put(outcome: DeliveryOutcome): void {
    if (outcome.webhook.isLost) return;
    this.#waiting.push(outcome);
    // Flush at once: no more messages should go to a receiver that is gone.
    this.#plan(outcome.isGone ? 0 : FLUSH_MS);
  }

  /** Counts a delivery of a batch as done without storing it. */
  discard(webhook: LeasedWebhook, batch: LogBatch): void {
    batch.pending -= 1;
    this.#discarded.add(webhook);
    this.#plan(PROGRESS_MS);
  }

  /** Stores all positions that have changed. */
  storePositions(): void {
    for (const webhook of this.#parts.held()) this.#discarded.add(webhook);
    if (this.#discarded.size > 0) this.#plan(0);
  }

  /** Renews leases that no recent write has renewed. */
  async renew(): Promise<void> {
    const { store, node, lease_s, held } = this.#parts;
    if (lease_s === undefined || this.#isRenewing) return;
    const isOlder = (share: number) => (webhook: LeasedWebhook) =>
      !this.#givenBack.has(webhook) && webhook.leasedUntil_ms - elapsed_ms() < share * lease_s * 1000;
    if (![...held()].some(isOlder(RENEWED_AT))) return;
    const webhooks = [...held()].filter(isOlder(RENEWED_TOGETHER));
    this.#isRenewing = true;
    try {
      const sentAt_ms = elapsed_ms();
      const renewed = await store.writeUrgent((tx) => tx.webhookLeases.renew(node, webhooks, lease_s));
      for (const webhook of webhooks) {
        if (renewed.has(webhook.webhook_id)) this.#extend(webhook, sentAt_ms);
        else this.#doubtful.add(webhook);
      }
      if (this.#doubtful.size > 0) this.#plan(0);
    } catch {
      // Retried soon; requests report an unavailable database.
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Stores everything and releases leases, in one unit of work. */
  async giveBack(webhooks: readonly LeasedWebhook[]): Promise<void> {
    for (const webhook of webhooks) this.#givenBack.add(webhook);
    const all = webhooks.map(
      (webhook) => new Promise<void>((done) => void (webhook.isLost ? done() : this.#leaving.push({ webhook, done }))),
    );
    this.#plan(0);
    await Promise.all(all);
  }

  /** Whether no outcome waits to be stored. */
  isIdle(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  /** Whether too many outcomes wait for new sends to start. */
  isFull(): boolean {
    return this.#waiting.length >= WAITING_MAX;
  }

  /** Resolves when all outcomes and releases so far are durable, or storing them has failed. */
  async flush(): Promise<void> {
    await this.#running;
    this.#planned?.callOff();
    this.#planned = undefined;
    await this.#write().catch(() => undefined);
  }

  #plan(ms: number): void {
    const at_ms = elapsed_ms() + ms;
    if (this.#running || (this.#planned && this.#planned.at_ms <= at_ms)) return;
    this.#planned?.callOff();
    this.#planned = { at_ms, callOff: after(ms, () => this.#start()) };
  }

  #start(): void {
    this.#planned = undefined;
    this.#running ??= this.#write()
      .then(
        () => FLUSH_MS,
        () => RETRY_MS,
      )
      .then((ms) => {
        this.#running = undefined;
        if (this.#waiting.length > 0 || this.#leaving.length > 0 || this.#doubtful.size > 0) this.#plan(ms);
        else if (this.#discarded.size > 0) this.#plan(PROGRESS_MS);
      });
  }

  async #write(): Promise<void> {
    const { onLost, onRoom } = this.#parts;
    const wasFull = this.isFull();
    const batch = this.#takeBatch();
    const sentAt_ms = elapsed_ms();
    const kept = batch.positions.size > 0 ? await this.#store(batch) : new Set<string>();
    for (const [webhook, position] of batch.positions) {
      webhook.storedPosition = position;
      if (kept.has(webhook.webhook_id)) this.#extend(webhook, sentAt_ms);
      else if (!webhook.isLost) {
        webhook.isLost = true;
        onLost(webhook);
      }
    }
    for (const { webhook, onStored } of batch.outcomes) if (!webhook.isLost) onStored?.();
    for (const { done } of batch.leaving) done();
    if (wasFull) onRoom();
  }

  #takeBatch(): Batch {
    const outcomes = this.#waiting.filter(({ webhook }) => !webhook.isLost);
    const leaving = this.#leaving;
    // Counting before the write is safe: the position is stored only by a unit that succeeds.
    for (const { batch } of outcomes) if (batch) batch.pending -= 1;
    const concerned = new Set([...outcomes, ...leaving].map(({ webhook }) => webhook));
    for (const webhook of this.#doubtful) concerned.add(webhook);
    for (const webhook of this.#discarded) if (webhook.settled.get() !== webhook.storedPosition) concerned.add(webhook);
    const positions = new Map<LeasedWebhook, number>();
    for (const webhook of concerned) if (!webhook.isLost) positions.set(webhook, webhook.settled.get());
    this.#waiting = [];
    this.#leaving = [];
    this.#discarded.clear();
    this.#doubtful.clear();
    return { outcomes, positions, leaving };
  }

  /** Stores the part of a batch whose webhooks the node still holds; returns their ids. */
  async #store(batch: Batch): Promise<ReadonlySet<string>> {
    const { store, node, lease_s, onError } = this.#parts;
    const { outcomes, positions, leaving } = batch;
    const leases = Array.from(positions, ([{ webhook_id, fencing_number }, settled_position]) => {
      return { webhook_id, fencing_number, settled_position };
    });
    try {
      return await store.write(async (tx) => {
        const kept = await tx.webhookLeases.keep(node, leases, lease_s);
        const mayStore = ({ webhook }: { readonly webhook: LeasedWebhook }): boolean => kept.has(webhook.webhook_id);
        await storeOutcomes(tx, outcomes.filter(mayStore));
        const left = leaving.filter(mayStore).map(({ webhook }) => webhook);
        await tx.webhookLeases.giveBack(node, left);
        return kept;
      });
    } catch (error) {
      onError(error);
      // Their batches have counted them; the position is stored only together with them.
      this.#waiting = [...outcomes.map((outcome) => ({ ...outcome, batch: undefined })), ...this.#waiting];
      this.#leaving = [...leaving, ...this.#leaving];
      for (const webhook of positions.keys()) this.#doubtful.add(webhook);
      throw error;
    }
  }

  #extend(webhook: LeasedWebhook, sentAt_ms: number): void {
    const { lease_s, onRenewed } = this.#parts;
    if (lease_s === undefined) return;
    const hadEnded = webhook.leasedUntil_ms <= elapsed_ms();
    webhook.leasedUntil_ms = Math.max(webhook.leasedUntil_ms, sentAt_ms + lease_s * 1000);
    if (hadEnded) onRenewed(webhook);
  }
}

async function storeOutcomes(tx: WriteTransaction, outcomes: readonly DeliveryOutcome[]): Promise<void> {
  await tx.webhookDeliveries.putAll(outcomes.map(({ delivery }) => delivery));
  const gone = new Set(outcomes.filter(({ isGone }) => isGone).map(({ delivery }) => delivery.webhook_id));
  // After its deliveries, which it gives up.
  for (const id of gone) await markInvalid(tx, id, 'Status 410');
  for (const [key, run_at] of firstRetries(outcomes)) {
    if (!gone.has(key)) await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
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
