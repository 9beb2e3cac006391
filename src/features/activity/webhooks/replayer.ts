import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { after, elapsed_ms } from '../../../base/timers.ts';
import type { Sender, SendResult } from '../../../contract/services/sending.ts';
import type { EventFeed } from '../../../contract/store/events.ts';
import type { Replay, ReplayState, ReplayStep, WebhookReplayer } from '../../../contract/store/webhooks.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import type { Receivers } from './receivers.ts';
import { isAccepted } from './retry-schedule.ts';
import { SendQueue, type Unsendable } from './send-queue.ts';
import { messageIdOf } from './signing.ts';

/** Dependencies of replays. */
export interface ReplayerDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly feed: EventFeed;
  readonly sender: Sender;
  readonly receivers: Receivers;
  readonly nextTransactionId: () => string;
  readonly onError: (error: unknown) => void;
}

/** @source activity 20.1 */
const PER_SECOND_MAX = 2500;
/** Maximum number of events per step. */
const EVENTS_PER_STEP = 250;
/** A step ends with the event after this time, so that other jobs do not wait for a slow receiver. @source decision 774 */
const STEP_MS = 2000;

const DESCRIPTIONS: Readonly<Record<Exclude<ReplayState, 'Running'>, string>> = {
  Complete: 'Job completed successfully',
  Incomplete: 'Job failed to deliver all events, please retry your replay job',
};

/** The last message of a replay: how it ended. @source activity 20.1; decision 398 */
function completionText({ webhook_id, id }: Replay, state: Exclude<ReplayState, 'Running'>): string {
  const job_state_description = DESCRIPTIONS[state];
  return JSON.stringify({ replay_job_status: { webhook_id, job_state: state, job_state_description, job_id: id } });
}

/** The result of a request, or the reason why it was not sent. */
type Sent = SendResult | Unsendable | 'stopped';

type Send = (id: string, body: Buffer) => Promise<Sent>;

/**
 * Runs replays in steps: events in log order, one attempt each, at a limited rate. Each step is one run of a job, which
 * stores its progress when it ends; events that were sent in a step that did not end are sent again.
 * @source decision 774
 */
export class Replayer implements WebhookReplayer {
  readonly #parts: ReplayerDependencies;
  #isStopped = false;
  /** Callbacks that end the waits of running steps. */
  readonly #interrupts = new Set<() => void>();

  constructor(parts: ReplayerDependencies) {
    this.#parts = parts;
  }

  async replay(id: string, signal: AbortSignal): Promise<ReplayStep | undefined> {
    const { store, clock } = this.#parts;
    const found = await store.read((tx) => tx.replays.find(id));
    if (found?.state !== 'Running') return undefined;
    const send = this.#sendingTo(found.webhook_id, signal);
    const replay = found.position < found.last_position ? await this.#sendEvents(found, send) : found;
    signal.throwIfAborted();
    const { position, delivered, failed } = replay;
    const changes = { position, delivered, failed };
    if (this.#isStopped || (replay.state === 'Running' && position < replay.last_position)) return { changes };
    const state = failed > 0 || replay.state === 'Incomplete' ? 'Incomplete' : 'Complete';
    const sent = await send(`msg_replay_${id}`, Buffer.from(completionText(replay, state)));
    if (sent === 'stopped') return { changes };
    return { changes: { ...changes, state, ended_at: formatInstant(clock.now()) } };
  }

  /** Ends running steps, which store their progress. */
  stop(): void {
    this.#isStopped = true;
    for (const interrupt of this.#interrupts) interrupt();
  }

  /** Runs steps again, after `stop`. */
  resume(): void {
    this.#isStopped = false;
  }

  /** Waits until `end` is called, or for the shutdown. */
  #orStopped<T>(begin: (end: (result: T) => void) => void): Promise<T | 'stopped'> {
    return new Promise((resolve) => {
      const end = (result: T | 'stopped'): void => {
        this.#interrupts.delete(interrupt);
        resolve(result);
      };
      const interrupt = (): void => end('stopped');
      this.#interrupts.add(interrupt);
      if (this.#isStopped) interrupt();
      else begin(end);
    });
  }

  /**
   * Sends an event after the response to the previous one, or its timeout: concurrent requests could overtake each
   * other.
   * @source decision 438
   */
  #sendingTo(webhook: string, signal: AbortSignal): Send {
    const queue = new SendQueue(webhook, {
      ...this.#parts,
      now_s: () => Math.floor(this.#parts.wallClock.now() / 1000),
      concurrentMax: () => 1,
      isPaused: () => signal.aborted,
      onRoom() {},
    });
    return async (id, body) => {
      signal.throwIfAborted();
      const result = await this.#orStopped<Sent>((onEnd) => queue.add({ id, body, onEnd }));
      signal.throwIfAborted();
      return result;
    };
  }

  async #sendEvents(replay: Replay, send: Send): Promise<Replay> {
    const { store, feed } = this.#parts;
    const { webhook_id: webhook, application_id: application, last_position } = replay;
    const startedAt_ms = elapsed_ms();
    const range = { after: replay.position, until: last_position, limit: EVENTS_PER_STEP };
    const events = await store.read((tx) => tx.events.list(range));
    const query = { application, webhook, includesOlder: true, isReplay: true };
    const deliveries = await feed.deliveriesOf(events, query);
    let { position, delivered, failed } = replay;
    const groups = [...Map.groupBy(deliveries, ({ event }) => event.position)];
    for (const [index, [eventPosition, ofEvent]] of groups.entries()) {
      if (elapsed_ms() - startedAt_ms > STEP_MS) return { ...replay, position, delivered, failed };
      const results: Sent[] = [];
      for (const { event, subscription, body } of ofEvent) {
        results.push(await send(messageIdOf(event.position, subscription.id), body));
      }
      if (results.includes('stopped')) return { ...replay, position, delivered, failed };
      if (results.some((each) => typeof each === 'string')) {
        const left = groups.slice(index).reduce((sum, [, each]) => sum + each.length, 0);
        return { ...replay, position, delivered, failed: failed + left, state: 'Incomplete' };
      }
      const accepted = results.filter((each) => isAccepted(each as SendResult)).length;
      position = eventPosition;
      delivered += accepted;
      failed += results.length - accepted;
    }
    const rest_ms = (deliveries.length / PER_SECOND_MAX) * 1000 - (elapsed_ms() - startedAt_ms);
    if (rest_ms > 0) await this.#orStopped<void>((end) => void after(rest_ms, end));
    position = events.length < EVENTS_PER_STEP ? last_position : events.at(-1)!.position;
    return { ...replay, position, delivered, failed };
  }
}
