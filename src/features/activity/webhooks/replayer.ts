import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import { after } from '../../../base/timers.ts';
import type { SendResult } from '../../../contract/services/sending.ts';
import type { Activity, Delivery } from '../../../contract/store/events.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { Replay, ReplayState } from '../../../contract/store/webhooks.ts';
import { type Deliverer, messageIdOf } from './deliverer.ts';

/** What replaying needs. */
export interface ReplayerParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly deliverer: Pick<Deliverer, 'lane'>;
  readonly failed: (error: unknown) => void;
}

/** Does replays, while the service runs. */
export interface Replayer {
  /** Takes up what was running when the service ended. */
  start(): Promise<void>;
  run(id: string): void;
  stop(): Promise<void>;
}

/** @source activity gaps 20.1 */
const PER_SECOND_MAX = 2500;
/** Events that are sent before it is stored how far a replay has come. */
const EVENTS_AT_ONCE = 250;
const AGAIN_MS = 1000;

const DESCRIPTIONS: Readonly<Record<Exclude<ReplayState, 'Running'>, string>> = {
  Complete: 'Job completed successfully',
  Incomplete: 'Job failed to deliver all events, please retry your replay job',
};

/** The last message of a replay: how it ended. @source activity gaps 20.1 */
export function completionText({ webhook_id, id }: Replay, state: Exclude<ReplayState, 'Running'>): string {
  const job_state_description = DESCRIPTIONS[state];
  return JSON.stringify({ replay_job_status: { webhook_id, job_state: state, job_state_description, job_id: id } });
}

/**
 * Does replays: events in the order of the log, each tried once, at most so many a second. How far one has come is stored
 * again and again, so that a restart goes on from there; what was sent since is sent once more.
 */
export function replayerOf({ store, clock, activity, deliverer, failed }: ReplayerParts): Replayer {
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

  const send = (webhook: string, id: string, body: Buffer): Promise<SendResult | 'invalid' | 'stands still'> =>
    new Promise((resolve) => deliverer.lane(webhook).add({ id, body, ended: resolve }));

  /**
   * How many of them arrived; undefined when nothing can be sent any more. An event is sent once the one before it was
   * answered, or was not in time: several requests under way could overtake each other.
   * @source decision 438
   */
  const sendAll = async (webhook: string, deliveries: readonly Delivery[]): Promise<number | undefined> => {
    const startedAt_ms = performance.now();
    let arrived = 0;
    for (const ofEvent of Map.groupBy(deliveries, ({ event }) => event.position).values()) {
      const came = await Promise.all(
        ofEvent.map(({ event, subscription, body }) =>
          send(webhook, messageIdOf(event.position, subscription.id), body),
        ),
      );
      if (came.some((each) => typeof each === 'string')) return undefined;
      arrived += came.filter((each) => isTaken(each as SendResult)).length;
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
      const range = { after: position, until: last_position, limit: EVENTS_AT_ONCE };
      const events = await store.read((tx) => tx.events.list(range));
      const query = { application, webhook, includesOlder: true, isReplay: true };
      const deliveries = await activity.deliveriesOf(events, query);
      const delivered = await sendAll(webhook, deliveries);
      // What was cut off by the end of the service is sent again when it is back.
      if (isStopped) return;
      isBarred = delivered === undefined;
      const changes = {
        position: events.length < EVENTS_AT_ONCE ? last_position : events.at(-1)!.position,
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
          failed(error);
          return true;
        },
      )
      .then(async (isToGoOn) => {
        if (isToGoOn) await pause(AGAIN_MS);
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

function isTaken(sent: SendResult): boolean {
  return sent.outcome === 'answered' && sent.status >= 200 && sent.status < 300;
}
