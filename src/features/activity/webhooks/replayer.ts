import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { after } from '../../../base/timers.ts';
import type { SendResult } from '../../../contract/services/sending.ts';
import type { Delivery, EventFeed } from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { Replay, ReplayState } from '../../../contract/store/webhooks.ts';
import { type Deliverer, messageIdOf } from './deliverer.ts';

/** Dependencies of replays. */
export interface ReplayerDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: EventFeed;
  readonly deliverer: Pick<Deliverer, 'queue'>;
  readonly onError: (error: unknown) => void;
}

/** Runs replays. */
export interface Replayer {
  /** Resumes the replays that the last process left running. */
  start(): Promise<void>;
  run(id: string): void;
  stop(): Promise<void>;
}

/** @source activity gaps 20.1 */
const PER_SECOND_MAX = 2500;
/** Events sent before the progress of a replay is stored. */
const EVENTS_PER_STEP = 250;
const RETRY_MS = 1000;

const DESCRIPTIONS: Readonly<Record<Exclude<ReplayState, 'Running'>, string>> = {
  Complete: 'Job completed successfully',
  Incomplete: 'Job failed to deliver all events, please retry your replay job',
};

/** The last message of a replay: how it ended. @source activity gaps 20.1; decision 398 */
export function completionText({ webhook_id, id }: Replay, state: Exclude<ReplayState, 'Running'>): string {
  const job_state_description = DESCRIPTIONS[state];
  return JSON.stringify({ replay_job_status: { webhook_id, job_state: state, job_state_description, job_id: id } });
}

/**
 * Runs replays: events in log order, one attempt each, at a limited rate. Progress is stored regularly, so that a
 * restart continues; events sent since the last progress are sent again.
 */
export function createReplayer({ store, clock, feed, deliverer, onError }: ReplayerDependencies): Replayer {
  const running = new Map<string, Promise<void>>();
  let isStopped = false;
  let wakeUp = (): void => {};

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (ms <= 0 || isStopped) return resolve();
      const callOff = after(ms, resolve);
      wakeUp = () => {
        callOff();
        resolve();
      };
    });

  const send = (webhook: string, id: string, body: Buffer): Promise<SendResult | 'invalid' | 'suspended'> =>
    new Promise((resolve) => deliverer.queue(webhook).add({ id, body, onEnd: resolve }));

  /**
   * How many were accepted; undefined when the webhook became invalid or suspended. An event is sent after the response
   * to the previous one, or its timeout: concurrent requests could overtake each other.
   * @source decision 438
   */
  const sendAll = async (webhook: string, deliveries: readonly Delivery[]): Promise<number | undefined> => {
    const startedAt_ms = performance.now();
    let arrived = 0;
    for (const ofEvent of Map.groupBy(deliveries, ({ event }) => event.position).values()) {
      const results = await Promise.all(
        ofEvent.map(({ event, subscription, body }) =>
          send(webhook, messageIdOf(event.position, subscription.id), body),
        ),
      );
      if (results.some((each) => typeof each === 'string')) return undefined;
      arrived += results.filter((each) => isAccepted(each as SendResult)).length;
    }
    await pause((deliveries.length / PER_SECOND_MAX) * 1000 - (performance.now() - startedAt_ms));
    return arrived;
  };

  const go = async (id: string): Promise<void> => {
    const found = await store.read((tx) => tx.replays.find(id));
    if (found?.state !== 'Running') return;
    let replay: Replay = found;
    let isBarred = false;
    while (replay.position < replay.last_position && !isBarred) {
      const { position, last_position, webhook_id: webhook, application_id: application } = replay;
      const range = { after: position, until: last_position, limit: EVENTS_PER_STEP };
      const events = await store.read((tx) => tx.events.list(range));
      const query = { application, webhook, includesOlder: true, isReplay: true };
      const deliveries = await feed.deliveriesOf(events, query);
      const delivered = await sendAll(webhook, deliveries);
      // Requests aborted by the shutdown are sent again after the restart.
      if (isStopped) return;
      isBarred = delivered === undefined;
      const changes = {
        position: events.length < EVENTS_PER_STEP ? last_position : events.at(-1)!.position,
        delivered: replay.delivered + (delivered ?? 0),
        failed: replay.failed + deliveries.length - (delivered ?? 0),
      };
      replay = { ...replay, ...changes };
      await store.write((tx) => tx.replays.change(id, changes));
    }
    const state = replay.failed > 0 || isBarred ? 'Incomplete' : 'Complete';
    await send(replay.webhook_id, `msg_replay_${id}`, Buffer.from(completionText(replay, state)));
    if (isStopped) return;
    await store.write((tx) => tx.replays.change(id, { state, ended_at: formatInstant(clock.now()) }));
  };

  const run = (id: string): void => {
    if (isStopped || running.has(id)) return;
    const done = go(id)
      .then(
        () => false,
        (error) => {
          onError(error);
          return true;
        },
      )
      .then(async (isToGoOn) => {
        if (isToGoOn) await pause(RETRY_MS);
        running.delete(id);
        if (isToGoOn) run(id);
      });
    running.set(id, done);
  };

  return {
    run,
    async start() {
      for (const { id } of await store.read((tx) => tx.replays.listRunning())) run(id);
    },
    async stop() {
      isStopped = true;
      wakeUp();
      await Promise.all(running.values());
    },
  };
}

function isAccepted(sent: SendResult): boolean {
  return sent.outcome === 'answered' && sent.status >= 200 && sent.status < 300;
}
