import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { after, every, within } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import {
  type Activity,
  type Delivery,
  eventUuid,
  type LogSubscription,
  type MatchedBatch,
} from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import { type DeliveryTry, WEBHOOK_JOBS, type WebhookDelivery } from '../../../contract/store/webhooks.ts';
import { openBooks, type TakenUp } from './delivery-store.ts';
import { type Receivers, receiversOf } from './receivers.ts';
import { type Lane, laneTo } from './send-queue.ts';
import { invalidate } from './validity.ts';

/** What delivering needs. */
export interface DelivererParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly activity: Activity;
  readonly sender: Sender;
  /** After how many seconds each further try is made. */
  readonly retries_s: readonly number[];
  readonly nextTransactionId: () => string;
  /** Is told how long after its event a delivery was accepted, in seconds. */
  readonly delivered: (age_s: number) => void;
  /** Is told of faults that are ours. */
  readonly failed: (error: unknown) => void;
}

/** Sends the events of the log to webhooks, while the service runs. */
export interface Deliverer {
  readonly receivers: Receivers;
  /** The lane to a webhook. */
  lane(webhook: string): Lane;
  /** Takes up the log where it was left, and follows it from there. */
  start(): Promise<void>;
  /** Sends what is to be sent to a webhook by now. */
  resume(webhook: string): void;
  /** How many deliveries are in memory, waiting or under way. */
  waiting(): number;
  /** Ends what is under way, as far as that ends soon; what does not is sent again later. */
  stop(): Promise<void>;
}

/** So many may always wait in memory for a webhook, and what has been read from the database fills up to there. */
const LANE_MAX = 1000;
/** A burst waits in memory too, as long as it gets shorter soon: writing it down twice would take longer than sending it. */
const BURST_MAX = 10_000;
/** But no more than this of all webhooks together. */
const MEMORY_MAX = 50_000;
/** What has not been sent within this time, in milliseconds, is a burst no longer. */
const BURST_MS = 1000;
/** Deliveries read from the database at once. */
const READ_AT_ONCE = 500;
/** Events read from the log at once. */
const EVENTS_AT_ONCE = 500;
/** How soon what could not be read is read again, in milliseconds. */
const AGAIN_MS = 1000;
/** How long what is under way may take when the service ends. */
const ENDING_MS = 3000;
/** What a receiver asks for is believed up to this. @source activity gaps 19.4 */
const RETRY_AFTER_MAX_S = 3600;

interface Way extends Lane {
  readonly webhook: string;
  /** New messages go to the database until what is there has been read. */
  isSpilling: boolean;
  /** How many messages had been added when it was last looked whether it gets on. */
  addedBefore: number;
  /** There may be messages in the database that are to be sent by now. */
  hasDue: boolean;
  isReading: boolean;
  /** Messages from the database that are in memory, each with how often it had been tried when it was read. */
  readonly held: Map<string, number>;
  /** Messages that were stored while the database is being read: what was read of them may be what was before. */
  readonly changed: Set<string>;
}

/** A delivery whose body may still be bytes. */
type Unsent = Omit<WebhookDelivery, 'body'> & { readonly body: string | Buffer };

/** The id of the message that tells a subscription of an event. @source activity gaps 21.5 */
export function messageIdOf(position: number, subscription: string): string {
  return `msg_${eventUuid(position)}_${subscription}`;
}

/**
 * Delivers events: each is sent when the log hands it over, and stored with what came of it. The log is noted as settled
 * up to where everything is stored, so that what a crash interrupts is sent again.
 */
export function delivererOf(parts: DelivererParts): Deliverer {
  const { store, clock, activity, sender, retries_s, nextTransactionId, failed } = parts;
  const receivers = receiversOf(parts);
  const ways = new Map<string, Way>();
  const nowText = (): string => formatInstant(clock.now());
  let isStopped = false;
  let following: LogSubscription | undefined;
  let inMemory = 0;
  let stopLooking = (): void => {};

  const books = openBooks({ store, failed, waitUntilCaughtUp: () => lookAll() });
  const lookAll = (): void => {
    for (const way of ways.values()) {
      way.look();
      refill(way);
    }
  };

  const wayTo = (webhook: string): Way => {
    const there = ways.get(webhook);
    if (there) return there;
    const lane = laneTo(webhook, {
      receivers,
      sender,
      nextTransactionId,
      now_s: () => Math.floor(clock.now() / 1000),
      isHeldUp: books.isBehind,
      failed,
      hasRoom: () => refill(way),
    });
    const way: Way = {
      ...lane,
      webhook,
      isSpilling: false,
      addedBefore: 0,
      hasDue: false,
      isReading: false,
      held: new Map(),
      changed: new Set(),
    };
    ways.set(webhook, way);
    return way;
  };

  /** Reads what waits in the database into a lane that has room. */
  const refill = (way: Way): void => {
    if (isStopped || way.isReading || !(way.isSpilling || way.hasDue) || way.size() >= LANE_MAX / 2) return;
    way.isReading = true;
    way.hasDue = false;
    way.changed.clear();
    readDue(way.webhook)
      .then((found) => {
        way.isReading = false;
        // Somebody who asked since may mean what this reading was too early for.
        const isAskedAgain = way.hasDue;
        const fresh = found.filter(({ message_id: id }) => !way.held.has(id) && !way.changed.has(id));
        // What is under way is still there.
        if (found.length < READ_AT_ONCE) way.isSpilling = false;
        else way.hasDue = true;
        for (const delivery of fresh) {
          way.held.set(delivery.message_id, delivery.tries.length);
          add(way, delivery, undefined);
        }
        if (fresh.length > 0 || isAskedAgain) refill(way);
      })
      .catch((error) => {
        failed(error);
        way.isReading = false;
        way.hasDue = true;
        after(AGAIN_MS, () => refill(way));
      });
  };
  const readDue = async (webhook: string): Promise<WebhookDelivery[]> => {
    const receiver = await receivers.find(webhook);
    // What stands still waits where it is; a change wakes it up.
    if (receiver?.state !== 'in use') return [];
    return store.read((tx) => tx.webhookDeliveries.listDue(webhook, nowText(), READ_AT_ONCE));
  };

  /** Whether one more message waits in memory, or is written down to be sent later. */
  const hasPlace = (way: Way): boolean => {
    if (way.isSpilling) return false;
    return way.size() < LANE_MAX || (way.size() < BURST_MAX && inMemory < MEMORY_MAX);
  };
  /** What waits for a slow receiver is written down: the log would otherwise not be settled for as long as it takes. */
  const writeDown = (way: Way): void => {
    const isSlow = way.taken() < way.addedBefore;
    way.addedBefore = way.taken() + way.size();
    if (!isSlow || way.size() <= LANE_MAX) return;
    way.isSpilling = true;
    way.shed(LANE_MAX);
  };

  const resume = (way: Way): void => {
    way.hasDue = true;
    refill(way);
  };
  /** Notes what is now known of a delivery. Whoever read last may have been too early for what is due once it is stored. */
  const note = (way: Way, delivery: WebhookDelivery, from: TakenUp | undefined): void => {
    const { message_id, next_at, tries } = delivery;
    const stored = (): void => {
      // Others see what was stored before we are told: it may have been read again already, and be under way.
      if (way.held.get(message_id)! < tries.length) way.held.delete(message_id);
      if (way.isReading) way.changed.add(message_id);
      if (next_at !== null && next_at <= nowText()) resume(way);
    };
    books.note({ delivery, from, stored });
  };

  /** Notes what came of a delivery; `from` when the log had just handed it over. */
  const settle = (
    way: Way,
    delivery: Unsent,
    from: TakenUp | undefined,
    came: SendResult | 'invalid' | 'stands still',
  ): void => {
    // What was cut off because the service ends is sent again when it is back.
    if (isStopped && (typeof came === 'string' || came.outcome === 'failed')) return;
    const { webhook_id, message_id } = delivery;
    if (came === 'invalid' || (came === 'stands still' && !from)) {
      way.held.delete(message_id);
      if (from) books.drop(from);
      return;
    }
    const row = { ...delivery, body: delivery.body.toString() };
    if (came === 'stands still') {
      note(way, row, from);
      return;
    }
    if (came.outcome === 'answered' && came.status === GONE) {
      store.write((tx) => invalidate(tx, webhook_id, 'Status 410')).catch(failed);
    }
    const tried = afterTry(row, came, { now_ms: clock.now(), retries_s });
    if (tried.state === 'delivered') parts.delivered((clock.now() - instantMs(row.created_at)) / 1000);
    note(way, tried, from);
  };
  const add = (way: Way, delivery: Unsent, from: TakenUp | undefined): void => {
    const { message_id: id, body } = delivery;
    inMemory += 1;
    way.add({
      id,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      ended: (came) => {
        inMemory -= 1;
        settle(way, delivery, from, came);
      },
    });
  };

  const takeUp = (batch: { readonly until: number; readonly deliveries: readonly Delivery[] }): void => {
    const { until, deliveries } = batch;
    const from = books.takeUp(until, deliveries.length);
    for (const { event, subscription, body } of deliveries) {
      const delivery = {
        webhook_id: subscription.webhook_id!,
        message_id: messageIdOf(event.position, subscription.id),
        position: event.position,
        subscription_id: subscription.id,
        event_type: event.event_type,
        body,
        state: 'pending' as const,
        tries: [],
        tries_before: 0,
        next_at: nowText(),
        created_at: nowText(),
      };
      const way = wayTo(delivery.webhook_id);
      if (hasPlace(way)) add(way, delivery, from);
      else {
        way.isSpilling = true;
        note(way, { ...delivery, body: body.toString() }, from);
      }
    }
  };
  const onBatch = ({ lastPosition: until, byApplication }: MatchedBatch): void => {
    const deliveries: Delivery[] = [];
    for (const of of byApplication.values()) {
      for (const each of of) if (each.subscription.webhook_id !== null) deliveries.push(each);
    }
    takeUp({ until, deliveries });
  };

  /** Takes up the log above a position, as far as it has been handed to those who followed it before us. */
  const catchUp = async (from: number, until: number, isStored: (message: string) => boolean): Promise<void> => {
    for (let after = from; after < until && !isStopped; ) {
      const events = await store.read((tx) => tx.events.list({ after, until, limit: EVENTS_AT_ONCE }));
      after = events.length < EVENTS_AT_ONCE ? until : events.at(-1)!.position;
      const all = await activity.deliveriesOf(events, {});
      const deliveries = all.filter(({ event, subscription: { id, webhook_id } }) => {
        return webhook_id !== null && !isStored(`${webhook_id} ${messageIdOf(event.position, id)}`);
      });
      takeUp({ until: after, deliveries });
    }
  };

  receivers.onChange(() => {
    for (const way of ways.values()) {
      way.look();
      resume(way);
    }
  });

  return {
    receivers,
    lane: wayTo,
    async start() {
      const { progress, last, messages, waiting } = await store.read(async (tx) => {
        const progress = await tx.webhookDeliveries.findProgress();
        return {
          progress,
          last: await tx.events.findLast(),
          messages: progress === undefined ? [] : await tx.webhookDeliveries.listMessagesAfter(progress),
          waiting: await tx.webhookDeliveries.listWaiting(),
        };
      });
      // Where no webhook was ever sent anything, nothing is owed.
      const from = progress ?? last;
      books.begin(from, progress !== undefined);
      const stored = new Set(messages.map(({ webhook_id, message_id }) => `${webhook_id} ${message_id}`));
      // Whoever was stopped in the middle had read them already.
      await store.write(async (tx) => {
        for (const { webhook_id: key, next_at: run_at } of waiting) {
          await tx.jobs.planNoLaterThan({ kind: WEBHOOK_JOBS.retry, key, run_at });
        }
      });
      const isStored = (message: string): boolean => stored.has(message);
      const soFar = Math.max(from, activity.position());
      await catchUp(from, soFar, isStored);
      // What comes while the rest is read waits its turn.
      const live: MatchedBatch[] = [];
      let isCaughtUp = false;
      following = activity.follow((batch) => void (isCaughtUp ? onBatch(batch) : live.push(batch)));
      await catchUp(soFar, following.after, isStored);
      for (const batch of live) onBatch(batch);
      isCaughtUp = true;
      stopLooking = every(BURST_MS, () => ways.forEach(writeDown));
    },
    resume: (webhook) => resume(wayTo(webhook)),
    waiting: () => inMemory,
    async stop() {
      isStopped = true;
      stopLooking();
      following?.stop();
      await within(ENDING_MS, Promise.all([...ways.values()].map((way) => way.stop()))).catch(() => undefined);
      await books.settled();
    },
  };
}

const GONE = 410;

/**
 * What a delivery is after one more try. The next one is due in whole seconds, and never before the schedule says, counted from
 * the end of this one.
 * @source activity gaps 19.4
 */
export function afterTry(
  delivery: WebhookDelivery,
  came: SendResult,
  { now_ms, retries_s }: { readonly now_ms: number; readonly retries_s: readonly number[] },
): WebhookDelivery {
  const now = formatInstant(now_ms);
  const { duration_ms } = came;
  const done: DeliveryTry =
    came.outcome === 'answered'
      ? { at: now, status: came.status, duration_ms }
      : { at: now, reason: came.reason, duration_ms };
  const tries = [...delivery.tries, done];
  if (came.outcome === 'answered' && came.status >= 200 && came.status < 300) {
    return { ...delivery, tries, state: 'delivered', next_at: null };
  }
  const wait_s = retries_s[tries.length - delivery.tries_before - 1];
  const isGone = came.outcome === 'answered' && came.status === GONE;
  if (wait_s === undefined || isGone) return { ...delivery, tries, state: 'failed', next_at: null };
  const asked_s = came.outcome === 'answered' ? retryAfterOf(came, now) : 0;
  return {
    ...delivery,
    tries,
    state: 'pending',
    next_at: formatInstant(Math.ceil(now_ms / 1000 + Math.max(wait_s, asked_s)) * 1000),
  };
}

/** How long a receiver that has too much to do asks us to wait; 0 when it does not. */
function retryAfterOf({ status, headers }: Extract<SendResult, { outcome: 'answered' }>, now: string): number {
  const said = headers['retry-after'];
  if (said === undefined || (status !== 429 && status !== 503)) return 0;
  const seconds = /^\d{1,9}$/.test(said) ? Number(said) : (Date.parse(said) - Date.parse(now)) / 1000;
  return Number.isFinite(seconds) ? Math.min(RETRY_AFTER_MAX_S, Math.max(0, Math.ceil(seconds))) : 0;
}
