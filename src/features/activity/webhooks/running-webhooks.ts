import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Store } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookRunner } from '../../../contract/store/webhooks.ts';
import { createDeliverer, type DelivererDependencies } from './deliverer.ts';
import { createReplayer } from './replayer.ts';
import { VALID_FOR_S } from './validity.ts';
import { WEBHOOK_CLEANING } from './webhook-jobs.ts';

/**
 * How long the lease of a webhook lasts unless it is renewed: less than the 15 s within which a killed node is replaced.
 * @source decision 772
 */
export const WEBHOOK_LEASE_S = 12;

/** Deliveries and replays of a running server. */
export interface RunningWebhooks extends WebhookRunner {
  /** To be called once the event log is followed; also after `abandon`. */
  start(): Promise<void>;
  /** How many deliveries are in memory, queued or in flight. */
  waiting(): number;
  /** Whether every delivery that is due was sent and its outcome stored. */
  isIdle(): boolean;
  /** Sends to each webhook one message after the other, until the result is called. */
  sendInTurn(): () => void;
  /** The ids of the webhooks to which this server delivers. */
  held(): readonly string[];
  /** Ends parts of replays that jobs wait for. */
  stopReplays(): void;
  /** Forgets all webhooks, and stores nothing more about them, because the database is about to be another one. */
  abandon(): Promise<void>;
  /** Gives the webhooks back, and closes the sender. */
  stop(): Promise<void>;
}

/** Opens deliveries and replays. */
export function openWebhooks(parts: DelivererDependencies): RunningWebhooks {
  const deliverer = createDeliverer(parts);
  const replayer = createReplayer({ ...parts, receivers: deliverer.receivers });
  return {
    waiting: () => deliverer.countInMemory(),
    held: () => deliverer.held(),
    isIdle: () => deliverer.isIdle(),
    sendInTurn: () => deliverer.sendInTurn(),
    replay: (id, signal) => replayer.replay(id, signal),
    stopReplays: () => replayer.stop(),
    async start() {
      replayer.resume();
      await planChecks(parts.store, parts.clock);
      await deliverer.start();
    },
    async abandon() {
      replayer.stop();
      await deliverer.abandon();
    },
    async stop() {
      replayer.stop();
      await deliverer.stop();
      await parts.sender.close();
    },
  };
}

const PAGE = 1000;

/** Schedules the next challenge of every valid webhook, and the cleaning job. */
async function planChecks(store: Store, clock: Clock): Promise<void> {
  const now = formatInstant(clock.now());
  for (let after = ''; ; ) {
    const found = await store.read((tx) => tx.webhooks.listAll(after, PAGE));
    await store.write(async (tx) => {
      for (const { id: key, valid, validated_at } of found) {
        const run_at = formatInstant(instantMs(validated_at) + VALID_FOR_S * 1000);
        if (valid && (await tx.jobs.find(WEBHOOK_JOBS.check, key)) === undefined) {
          await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key, run_at });
        }
      }
      if (after === '') await tx.jobs.planNoLaterThan({ ...WEBHOOK_CLEANING, run_at: now });
    });
    if (found.length < PAGE) return;
    after = found.at(-1)!.id;
  }
}
