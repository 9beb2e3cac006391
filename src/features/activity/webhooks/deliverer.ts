import type { Clock } from '../../../base/clock.ts';
import { addSeconds, formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { every, pause, withTimeout } from '../../../base/timers.ts';
import type { Sender } from '../../../contract/services/sending.ts';
import type { EventFeed, LogSubscription, MatchedBatch, MatchedEvent } from '../../../contract/store/events.ts';
import { type ReplayStep, WEBHOOK_JOBS, type WebhookReplayer } from '../../../contract/store/webhooks.ts';
import type { LeasedPosition } from '../../../storage/tables/webhook-leases.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { Node } from '../../platform/node.ts';
import { Claims } from './claims.ts';
import { HeldWebhook, type HeldWebhookDependencies } from './held-webhook.ts';
import { type LeasedWebhook, OutcomeWriter } from './outcome-writer.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { Replayer } from './replayer.ts';
import type { LogCursor } from './settled-position.ts';
import { messageIdOf } from './signing.ts';
import { VALID_FOR_S } from './validity.ts';
import { WEBHOOK_CLEANING } from './webhook-jobs.ts';

/** Dependencies of the deliverer. */
export interface DelivererDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly box: SecretBox;
  readonly feed: EventFeed;
  readonly sender: Sender;
  /** The node that holds the leases. */
  readonly node: Node;
  /**
   * How long the lease of a webhook lasts unless it is renewed, by the clock of the database. Undefined where no other
   * process can share the database: leases have no end, so that an idle server writes nothing.
   * @source decision 777
   */
  readonly lease_s: number | undefined;
  /** Seconds before each retry. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Called with the age of an event in seconds when a receiver accepted it. */
  readonly onDelivered: (age_s: number) => void;
  /** Called when another node has taken a webhook that this one held, or it was removed. */
  readonly onLeaseLost: (webhook: string) => void;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/**
 * How long the lease of a webhook lasts unless it is renewed: less than the 15 s within which a killed node is replaced.
 * @source decision 772
 */
export const WEBHOOK_LEASE_S = 12;

/** Time after which an unsent burst moves to the database, in milliseconds. */
const BURST_MS = 1000;
/** Maximum number of events in one read of the log. */
const EVENTS_PER_READ = 500;
/** Delay before a failed read is retried, in milliseconds. */
const RETRY_MS = 1000;
/** How long requests in flight may take at shutdown. */
const SHUTDOWN_MS = 3000;
/** Interval of storing positions that moved without a delivery, in milliseconds. */
const POSITIONS_MS = 5000;
/** Checks for leases to renew, per lease duration. */
const LOOKS = 12;

/**
 * Delivers to the webhooks that this node holds, and runs replays. A webhook needs the events above its settled
 * position: those up to the position of the event feed when the webhook is leased are read from the database, later ones
 * come from the feed.
 * @source decision 770
 */
export class Deliverer implements WebhookReplayer {
  readonly #parts: DelivererDependencies;
  readonly #receivers: Receivers;
  readonly #replayer: Replayer;
  readonly #outcomes: OutcomeWriter;
  readonly #claims: Claims;
  readonly #held = new Map<string, HeldWebhook>();
  readonly #memory: HeldWebhookDependencies['memory'] = { deliveries: 0, concurrent_max: undefined };
  /** The position of the feed. */
  readonly #live: LogCursor = { position: 0 };
  #isStopped = false;
  #feedSubscription: LogSubscription | undefined;
  #timers: readonly (() => void)[] = [];

  constructor(parts: DelivererDependencies) {
    this.#parts = parts;
    const { store, node, lease_s, onError } = parts;
    this.#receivers = openReceivers(parts);
    this.#replayer = new Replayer({ ...parts, receivers: this.#receivers });
    this.#outcomes = new OutcomeWriter({
      ...{ store, lease_s, onError },
      node: node.id,
      held: () => this.#held.values(),
      onLost: (webhook) => {
        this.#lose(webhook);
        this.#claims.look();
      },
      onRenewed: (webhook) => (webhook as HeldWebhook).wake(),
      onRoom: () => this.#wakeAll(),
    });
    this.#claims = new Claims({
      ...{ store, node, lease_s, onError },
      held: this.#held,
      begin: (leased, leasedUntil_ms) => this.#begin(leased, leasedUntil_ms),
      giveBack: (webhooks) => this.#giveBack(webhooks),
    });
    this.#receivers.onChange(() => {
      for (const webhook of this.#held.values()) {
        webhook.wake();
        webhook.resume();
      }
      // There may be a new webhook.
      this.#claims.look();
    });
    store.onInvalidate(['delivery'], (tags) => {
      const due = tags === 'everything' ? this.held() : [...tags].map((tag) => tag.slice(tag.indexOf(':') + 1));
      for (const id of due) this.#held.get(id)?.resume();
    });
  }

  /**
   * Leases webhooks, continues in the log where each was left, and follows it. To be called once the event log is
   * followed; also after `abandon`.
   */
  async start(): Promise<void> {
    const { store, clock, feed, lease_s } = this.#parts;
    this.#replayer.resume();
    await planChecks(store, clock);
    this.#isStopped = false;
    this.#feedSubscription = feed.follow((batch) => this.#onBatch(batch));
    this.#live.position = this.#feedSubscription.after;
    await this.#claims.start();
    this.#timers = [
      every(BURST_MS, () => {
        for (const webhook of this.#held.values()) webhook.spillIfSlow();
      }),
      every(POSITIONS_MS, () => {
        for (const webhook of this.#held.values()) webhook.settled.forgetFloor();
        this.#outcomes.storePositions();
      }),
      ...(lease_s === undefined ? [] : [every((lease_s * 1000) / LOOKS, () => void this.#outcomes.renew())]),
    ];
  }

  /** Number of deliveries in memory, queued or in flight. */
  waiting(): number {
    return this.#memory.deliveries;
  }

  /** The ids of the webhooks that the node has leased. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Whether every due delivery that this node may send was sent and its outcome stored. */
  isIdle(): boolean {
    const isReading = [...this.#held.values()].some((webhook) => webhook.isReading);
    return this.waiting() === 0 && this.#outcomes.isIdle() && this.#claims.isIdle() && !isReading;
  }

  /** Sends messages to each webhook sequentially until the returned function is called. */
  sendInTurn(): () => void {
    this.#memory.concurrent_max = 1;
    return () => {
      this.#memory.concurrent_max = undefined;
      this.#wakeAll();
    };
  }

  replay(id: string, signal: AbortSignal): Promise<ReplayStep | undefined> {
    return this.#replayer.replay(id, signal);
  }

  /** Ends the running steps of replays. */
  stopReplays(): void {
    this.#replayer.stop();
  }

  /** Forgets all webhooks and stores nothing more about them, before the database is replaced. */
  async abandon(): Promise<void> {
    await this.#stopFollowing();
    for (const webhook of this.#held.values()) webhook.abandon();
    this.#held.clear();
    await this.#outcomes.flush();
  }

  /**
   * Waits briefly for requests in flight, releases all leases, and closes the sender; the next holder sends the rest.
   */
  async stop(): Promise<void> {
    await this.#stopFollowing();
    const all = [...this.#held.values()];
    const isIdle = Promise.all(all.map((webhook) => webhook.leave('shutdown')));
    await withTimeout(SHUTDOWN_MS, isIdle).catch(() => undefined);
    void this.#outcomes.giveBack(all);
    await this.#outcomes.flush();
    this.#held.clear();
    await this.#parts.sender.close();
  }

  async #stopFollowing(): Promise<void> {
    this.#replayer.stop();
    this.#isStopped = true;
    for (const stop of this.#timers) stop();
    this.#feedSubscription?.stop();
    await this.#claims.stop();
  }

  #wakeAll(): void {
    for (const webhook of this.#held.values()) webhook.wake();
  }

  #forget(webhook: LeasedWebhook): void {
    if (this.#held.get(webhook.webhook_id) === webhook) this.#held.delete(webhook.webhook_id);
  }

  #lose(webhook: LeasedWebhook): void {
    (webhook as HeldWebhook).abandon();
    this.#forget(webhook);
    this.#parts.onLeaseLost(webhook.webhook_id);
  }

  async #giveBack(webhooks: readonly HeldWebhook[]): Promise<void> {
    await Promise.all(
      webhooks.map(async (webhook) => {
        await webhook.leave('given back');
        await this.#outcomes.giveBack([webhook]);
        this.#forget(webhook);
      }),
    );
  }

  #onBatch({ lastPosition, byApplication }: MatchedBatch): void {
    for (const [id, deliveries] of byWebhook([...byApplication.values()].flat())) {
      const webhook = this.#held.get(id);
      if (webhook?.heldBackBatches) webhook.heldBackBatches.push({ lastPosition, deliveries });
      else webhook?.addBatch(lastPosition, deliveries);
    }
    this.#live.position = lastPosition;
  }

  /** Starts delivering to newly leased webhooks. */
  async #begin(leased: readonly LeasedPosition[], leasedUntil_ms: number): Promise<void> {
    const until = this.#live.position;
    const cursor = { position: Math.min(...leased.map(({ settled_position }) => settled_position)) };
    const shared = {
      ...this.#parts,
      ...{ receivers: this.#receivers, outcomes: this.#outcomes, memory: this.#memory },
    };
    const webhooks = leased.map((each) => new HeldWebhook(each, { cursor, leasedUntil_ms }, shared));
    for (const webhook of webhooks) {
      // Other nodes considered this one dead and freed its leases.
      const former = this.#held.get(webhook.webhook_id);
      if (former) this.#lose(former);
      this.#held.set(webhook.webhook_id, webhook);
    }
    await this.#catchUp(webhooks, cursor, until);
    if (this.#isStopped) return;
    for (const webhook of webhooks) {
      if (webhook.isLost || webhook.isLeaving) continue;
      for (const { lastPosition, deliveries } of webhook.heldBackBatches!) webhook.addBatch(lastPosition, deliveries);
      webhook.heldBackBatches = undefined;
      webhook.settled.cursor = this.#live;
      webhook.resume();
    }
  }

  /** Reads the log for webhooks up to where the feed continued. Retries until it succeeds. */
  async #catchUp(webhooks: readonly HeldWebhook[], cursor: LogCursor, until: number): Promise<void> {
    const { store, feed, onError } = this.#parts;
    const isWanted = (): boolean => !this.#isStopped && webhooks.some((each) => !each.isLost && !each.isLeaving);
    let stored: ReadonlySet<string> | undefined;
    while (cursor.position < until && isWanted()) {
      try {
        stored ??= await this.#findStored(webhooks, cursor.position);
        const range = { after: cursor.position, until, limit: EVENTS_PER_READ };
        const events = await store.read((tx) => tx.events.list(range));
        // Wait for the fence, so that subscription changes of other processes are seen.
        await store.fence?.();
        const matched = byWebhook(await feed.deliveriesOf(events, {}));
        const lastPosition = events.length < EVENTS_PER_READ ? until : events.at(-1)!.position;
        for (const webhook of webhooks) {
          const deliveries = matched.get(webhook.webhook_id) ?? NONE;
          webhook.addBatch(
            lastPosition,
            deliveries.filter((each) => !stored!.has(messageKey(each))),
          );
        }
        cursor.position = lastPosition;
      } catch (error) {
        onError(error);
        await pause(RETRY_MS);
      }
    }
  }

  /** The deliveries of events above a position that are stored already. */
  async #findStored(webhooks: readonly HeldWebhook[], position: number): Promise<ReadonlySet<string>> {
    const ids = webhooks.map(({ webhook_id }) => webhook_id);
    const messages = await this.#parts.store.read((tx) => tx.webhookDeliveries.listMessagesAfter(ids, position));
    return new Set(messages.map(({ webhook_id, message_id }) => `${webhook_id} ${message_id}`));
  }
}

const WEBHOOKS_PER_READ = 1000;

/** Schedules the next challenge of every valid webhook, and the cleaning job. */
async function planChecks(store: Store, clock: Clock): Promise<void> {
  const now = formatInstant(clock.now());
  for (let after = ''; ; ) {
    const found = await store.read((tx) => tx.webhooks.listAll(after, WEBHOOKS_PER_READ));
    await store.write(async (tx) => {
      for (const { id: key, valid, validated_at } of found) {
        const run_at = addSeconds(validated_at, VALID_FOR_S);
        if (valid && (await tx.jobs.find(WEBHOOK_JOBS.check, key)) === undefined) {
          await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key, run_at });
        }
      }
      if (after === '') await tx.jobs.planNoLaterThan({ ...WEBHOOK_CLEANING, run_at: now });
    });
    if (found.length < WEBHOOKS_PER_READ) return;
    after = found.at(-1)!.id;
  }
}

const NONE: readonly MatchedEvent[] = [];

function byWebhook(deliveries: readonly MatchedEvent[]): ReadonlyMap<string, readonly MatchedEvent[]> {
  return Map.groupBy(
    deliveries.filter(({ subscription }) => subscription.webhook_id !== null),
    ({ subscription }) => subscription.webhook_id!,
  );
}

function messageKey({ event, subscription }: MatchedEvent): string {
  return `${subscription.webhook_id} ${messageIdOf(event.position, subscription.id)}`;
}
