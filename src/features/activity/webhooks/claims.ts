import { after, elapsed_ms, every } from '../../../base/timers.ts';
import { DEAD_AFTER_S } from '../../../contract/store/nodes.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { LeasedPosition } from '../../../contract/store/webhook-leases.ts';
import type { Node } from '../../platform/node.ts';
import type { HeldWebhook } from './held-webhook.ts';

/** Leases free webhooks for a node. */
export interface Claims {
  /** Leases what is free, and goes on to look; rejects when the first look failed. */
  start(): Promise<void>;
  /** Looks soon: a webhook may have become free. */
  look(): void;
  /** Whether nothing is being leased, and what was leased is delivered to. */
  isIdle(): boolean;
  stop(): Promise<void>;
}

/** The dependencies of claims. */
export interface ClaimsDependencies {
  readonly store: Store;
  readonly node: Node;
  /** How long leases last unless they are renewed; undefined: until they are given back. */
  readonly lease_s: number | undefined;
  /** The webhooks that the node holds, by id. */
  readonly held: ReadonlyMap<string, HeldWebhook>;
  /** Begins to deliver to webhooks; `leasedUntil_ms` is in `elapsed_ms`. */
  readonly begin: (leased: readonly LeasedPosition[], leasedUntil_ms: number) => Promise<void>;
  /** Stops to deliver to webhooks and gives them back. */
  readonly giveBack: (webhooks: readonly HeldWebhook[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** How often a node looks for free webhooks that it is not told of, in milliseconds. @source decision 772 */
const LOOK_MS = 1000;
/** The same where no other node can free any. */
const LOOK_ALONE_MS = 5000;
/** A webhook that has been free for this long is taken by the first node that finds it. @source decision 772 */
const LEFT_OVER_S = 5;
const TAKEN_AT_ONCE = 500;
/** What was left over is kept this long: then others are asked again. @source decision 772 */
const LEFT_OVER_KEPT_MS = 60_000;

/**
 * Keeps the share of a node: as many webhooks as there are for each live worker, rounded up. Beyond that, it gives some
 * back, and takes only what nobody else has taken.
 * @source decision 772, 848
 */
export function openClaims({ store, node, lease_s, held, begin, giveBack, onError }: ClaimsDependencies): Claims {
  // Before the event feed is followed, nothing may be taken.
  let isStopped = true;
  let isAskedAgain = false;
  let looking: Promise<void> | undefined;
  let stopLooking = (): void => {};
  let callOffRetry = (): void => {};
  /** A claim failed without an answer: the node may hold webhooks that it does not know of. */
  let isInDoubt = false;
  /** When something was last left over, and of how many workers: some of them took nothing, perhaps because they were starting. */
  let leftOver: { readonly workers: number; readonly at_ms: number } | undefined;
  const beginning = new Set<Promise<void>>();

  const giveBackUnknown = async (): Promise<void> => {
    if (!isInDoubt) return;
    await store.write(async (tx) => {
      const leases = await tx.webhookLeases.listOf(node.id);
      const unknown = leases.filter((lease) => held.get(lease.webhook_id)?.fencing_number !== lease.fencing_number);
      if (unknown.length > 0) await tx.webhookLeases.giveBack(node.id, unknown);
    });
    isInDoubt = false;
  };
  /** Takes up to `max` webhooks; returns how many. */
  const take = async (max: number, free_s: number): Promise<number> => {
    if (max <= 0) return 0;
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
        isInDoubt = true;
        throw error;
      });
    if (leased.length > 0) {
      const leasedUntil_ms = lease_s === undefined ? Number.POSITIVE_INFINITY : sentAt_ms + lease_s * 1000;
      const begun: Promise<void> = begin(leased, leasedUntil_ms).finally(() => beginning.delete(begun));
      beginning.add(begun);
    }
    return leased.length;
  };

  const lookOnce = async (): Promise<void> => {
    await giveBackUnknown();
    const query = { node: node.id, silence_s: DEAD_AFTER_S, free_s: 0 };
    const { webhooks, free, own, workers } = await store.read((tx) => tx.webhookLeases.findShares(query));
    const share = Math.ceil(webhooks / Math.max(1, workers));
    const staying = [...held.values()].filter(({ isLeaving }) => !isLeaving);
    // What is held in memory may have been removed.
    const above = own - (held.size - staying.length) - share;
    if (free > 0) {
      // A node that others may take for dead must not take anything. @source decision 751
      await node.ensureAlive();
      for (let left = -above, taken = TAKEN_AT_ONCE; !isStopped && taken === TAKEN_AT_ONCE; left -= taken) {
        taken = await take(left, 0);
      }
      for (let taken = TAKEN_AT_ONCE; !isStopped && taken === TAKEN_AT_ONCE; ) {
        taken = await take(TAKEN_AT_ONCE, LEFT_OVER_S);
        if (taken > 0) leftOver = { workers, at_ms: elapsed_ms() };
      }
    } else if (above > 0 && lease_s !== undefined) {
      if (leftOver?.workers === workers && elapsed_ms() - leftOver.at_ms < LEFT_OVER_KEPT_MS) return;
      // Those that have the least to finish.
      staying.sort((a, b) => a.size() - b.size());
      giveBack(staying.slice(0, above)).catch(onError);
    }
  };

  const look = (): void => {
    if (isStopped) return;
    isAskedAgain = true;
    if (looking) return;
    looking = lookUntilDone().finally(() => {
      looking = undefined;
      if (isAskedAgain) look();
    });
  };
  const lookUntilDone = async (): Promise<void> => {
    isAskedAgain = false;
    try {
      await lookOnce();
    } catch (error) {
      onError(error);
      callOffRetry();
      callOffRetry = after(LOOK_MS, look);
    }
  };

  return {
    async start() {
      isStopped = false;
      await lookOnce();
      await Promise.all(beginning);
      stopLooking = every(lease_s === undefined ? LOOK_ALONE_MS : LOOK_MS, look);
    },
    look,
    isIdle: () => looking === undefined && beginning.size === 0,
    async stop() {
      isStopped = true;
      stopLooking();
      callOffRetry();
      await looking;
      await Promise.all(beginning);
    },
  };
}
