import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Store } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookRunner } from '../../../contract/store/webhooks.ts';
import { createDeliverer, type DelivererDependencies } from './deliverer.ts';
import { createReplayer } from './replayer.ts';
import { VALID_FOR_S } from './validity.ts';
import { WEBHOOK_CLEANING } from './webhook-jobs.ts';

/** Deliveries, retries and replays of a running server. */
export interface RunningWebhooks extends WebhookRunner {
  /** To be called once the event log is followed. */
  start(): Promise<void>;
  /** How many deliveries are in memory, queued or in flight. */
  waiting(): number;
  /** Also closes the sender. */
  stop(): Promise<void>;
}

/** Opens deliveries and replays. */
export function openWebhooks(parts: DelivererDependencies): RunningWebhooks {
  const deliverer = createDeliverer(parts);
  const replayer = createReplayer({ ...parts, deliverer });
  return {
    resume: (webhook) => deliverer.resume(webhook),
    waiting: () => deliverer.countInMemory(),
    replay: (id) => replayer.run(id),
    async start() {
      await planChecks(parts.store, parts.clock);
      await deliverer.start();
      await replayer.start();
    },
    async stop() {
      const replaysEnd = replayer.stop();
      await deliverer.stop();
      await parts.sender.close();
      await replaysEnd;
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
