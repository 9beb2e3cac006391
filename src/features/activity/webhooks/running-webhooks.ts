import type { Clock } from '../../../base/clock.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Store } from '../../../contract/store/store.ts';
import { WEBHOOK_JOBS, type WebhookRunner } from '../../../contract/store/webhooks.ts';
import { type DelivererParts, delivererOf } from './deliverer.ts';
import { replayerOf } from './replayer.ts';
import { GOOD_FOR_S } from './validity.ts';
import { WEBHOOK_CLEANING } from './webhook-jobs.ts';

/** What is done with webhooks while the service runs, from its start to its end. */
export interface RunningWebhooks extends WebhookRunner {
  /** After the log of events is followed. */
  start(): Promise<void>;
  /** How many deliveries are in memory, waiting or under way. */
  waiting(): number;
  /** Closes the sender too. */
  stop(): Promise<void>;
}

/** Delivers and replays. */
export function openWebhooks(parts: DelivererParts): RunningWebhooks {
  const deliverer = delivererOf(parts);
  const replayer = replayerOf({ ...parts, deliverer });
  return {
    resume: (webhook) => deliverer.resume(webhook),
    waiting: () => deliverer.waiting(),
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

const READ_AT_ONCE = 1000;

/** Sees to it that every webhook in use is challenged when its day is over, and that what is old is forgotten. */
async function planChecks(store: Store, clock: Clock): Promise<void> {
  const now = formatInstant(clock.now());
  for (let after = ''; ; ) {
    const found = await store.read((tx) => tx.webhooks.listAll(after, READ_AT_ONCE));
    await store.write(async (tx) => {
      for (const { id: key, valid, validated_at } of found) {
        const run_at = formatInstant(instantMs(validated_at) + GOOD_FOR_S * 1000);
        if (valid && (await tx.jobs.find(WEBHOOK_JOBS.check, key)) === undefined) {
          await tx.jobs.plan({ kind: WEBHOOK_JOBS.check, key, run_at });
        }
      }
      if (after === '') await tx.jobs.planNoLaterThan({ ...WEBHOOK_CLEANING, run_at: now });
    });
    if (found.length < READ_AT_ONCE) return;
    after = found.at(-1)!.id;
  }
}
