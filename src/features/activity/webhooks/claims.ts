import { after, elapsed_ms, every } from '../../../base/timers.ts';
import { DEAD_AFTER_S } from '../../../contract/store/nodes.ts';
import type { LeasedPosition } from '../../../storage/tables/webhook-leases.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { Node } from '../../platform/node.ts';
import type { HeldWebhook } from './held-webhook.ts';

/** The dependencies of claims. */
export interface ClaimsDependencies {
  readonly store: Store;
  readonly node: Node;
  /** Lease duration in seconds; undefined: until released. */
  readonly lease_s: number | undefined;
  /** The webhooks that the node holds, by id. */
  readonly held: ReadonlyMap<string, HeldWebhook>;
  /** Starts delivering to webhooks; `leasedUntil_ms` is in `elapsed_ms`. */
  readonly begin: (leased: readonly LeasedPosition[], leasedUntil_ms: number) => Promise<void>;
  /** Stops delivering to webhooks and releases them. */
  readonly giveBack: (webhooks: readonly HeldWebhook[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Interval of polling for free webhooks, in milliseconds. @source decision 772 */
const LOOK_MS = 1000;
/** The interval if no other node can free any. */
const LOOK_ALONE_MS = 5000;
/** A webhook that has been free for this long is taken by the first node that finds it. @source decision 772 */
const LEFT_OVER_S = 5;
const TAKEN_AT_ONCE = 500;
/** Webhooks beyond the share are kept this long, then offered again. @source decision 772 */
const LEFT_OVER_KEPT_MS = 60_000;

/**
 * Leases free webhooks for a node, up to its share: as many webhooks as there are for each live worker, rounded up.
 * Beyond that, it gives some back, and takes only those that other nodes have left.
 * @source decision 772, 848
 */
export class Claims {
  readonly #parts: ClaimsDependencies;
  // Nothing may be leased before the event feed is followed.
  #isStopped = true;
  #isAskedAgain = false;
  #looking: Promise<void> | undefined;
  #stopLooking = (): void => {};
  #callOffRetry = (): void => {};
  /** Whether a claim had an unknown outcome: the node may hold leases that it does not know of. */
  #isInDoubt = false;
  /** The last claim of webhooks that other workers had left, and the number of workers then: some may have been starting. */
  #leftOver: { readonly workers: number; readonly at_ms: number } | undefined;
  readonly #beginning = new Set<Promise<void>>();

  constructor(parts: ClaimsDependencies) {
    this.#parts = parts;
  }

  /** Leases free webhooks, and keeps polling for more; rejects if the first poll fails. */
  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#lookOnce();
    await Promise.all(this.#beginning);
    const every_ms = this.#parts.lease_s === undefined ? LOOK_ALONE_MS : LOOK_MS;
    this.#stopLooking = every(every_ms, () => this.look());
  }

  /** Polls soon: a webhook may have become free. */
  look(): void {
    if (this.#isStopped) return;
    this.#isAskedAgain = true;
    if (this.#looking) return;
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = undefined;
      if (this.#isAskedAgain) this.look();
    });
  }

  /** Whether nothing is being leased, and deliveries to all leased webhooks have begun. */
  isIdle(): boolean {
    return this.#looking === undefined && this.#beginning.size === 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopLooking();
    this.#callOffRetry();
    await this.#looking;
    await Promise.all(this.#beginning);
  }

  async #lookUntilDone(): Promise<void> {
    this.#isAskedAgain = false;
    try {
      await this.#lookOnce();
    } catch (error) {
      this.#parts.onError(error);
      this.#callOffRetry();
      this.#callOffRetry = after(LOOK_MS, () => this.look());
    }
  }

  async #lookOnce(): Promise<void> {
    const { store, node, lease_s, held, giveBack, onError } = this.#parts;
    await this.#giveBackUnknown();
    const query = { node: node.id, silence_s: DEAD_AFTER_S, free_s: 0 };
    const { webhooks, free, own, workers } = await store.read((tx) => tx.webhookLeases.findShares(query));
    const share = Math.ceil(webhooks / Math.max(1, workers));
    const staying = [...held.values()].filter(({ isLeaving }) => !isLeaving);
    // Webhooks that are held in memory may have been removed.
    const above = own - (held.size - staying.length) - share;
    if (free > 0) {
      // A node that others may take for dead must not take anything. @source decision 751
      await node.ensureAlive();
      for (let left = -above, taken = TAKEN_AT_ONCE; !this.#isStopped && taken === TAKEN_AT_ONCE; left -= taken) {
        taken = await this.#take(left, 0);
      }
      for (let taken = TAKEN_AT_ONCE; !this.#isStopped && taken === TAKEN_AT_ONCE; ) {
        taken = await this.#take(TAKEN_AT_ONCE, LEFT_OVER_S);
        if (taken > 0) this.#leftOver = { workers, at_ms: elapsed_ms() };
      }
    } else if (above > 0 && lease_s !== undefined) {
      const leftOver = this.#leftOver;
      if (leftOver?.workers === workers && elapsed_ms() - leftOver.at_ms < LEFT_OVER_KEPT_MS) return;
      // Release those with the fewest deliveries in memory.
      staying.sort((a, b) => a.size - b.size);
      giveBack(staying.slice(0, above)).catch(onError);
    }
  }

  async #giveBackUnknown(): Promise<void> {
    if (!this.#isInDoubt) return;
    const { store, node, held } = this.#parts;
    await store.write(async (tx) => {
      const leases = await tx.webhookLeases.listOf(node.id);
      const unknown = leases.filter((lease) => held.get(lease.webhook_id)?.fencing_number !== lease.fencing_number);
      if (unknown.length > 0) await tx.webhookLeases.giveBack(node.id, unknown);
    });
    this.#isInDoubt = false;
  }

  /** Takes up to `max` webhooks; returns how many. */
  async #take(max: number, free_s: number): Promise<number> {
    if (max <= 0) return 0;
    const { store, node, lease_s, begin } = this.#parts;
    const sentAt_ms = elapsed_ms();
    const free = { node: node.id, lease_s, free_s, max: Math.min(max, TAKEN_AT_ONCE) };
    const leased = await store
      .write(async (tx) => {
        const taken = await tx.webhookLeases.take(free);
        // After a failover to a replica the end of the log may be lost: positions are used again.
        const last = taken.length === 0 ? 0 : await tx.events.findLast();
        return taken.map((each) => ({ ...each, settled_position: Math.min(each.settled_position, last) }));
      })
      .catch((error) => {
        this.#isInDoubt = true;
        throw error;
      });
    if (leased.length > 0) {
      const leasedUntil_ms = lease_s === undefined ? Number.POSITIVE_INFINITY : sentAt_ms + lease_s * 1000;
      const begun: Promise<void> = begin(leased, leasedUntil_ms).finally(() => this.#beginning.delete(begun));
      this.#beginning.add(begun);
    }
    return leased.length;
  }
}
