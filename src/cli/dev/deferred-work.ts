import type { Dependencies } from '../../app/dependencies.ts';
import { pause } from '../../base/timers.ts';
import type { DeferredWork } from '../../dev/clock/advance.ts';

/** How often it is looked whether deliveries and streams are done, in milliseconds. */
const LOOK_MS = 2;

/** The jobs, events, streams and webhooks of a service, one step at a time. */
export function deferredWorkOf({ jobs, services, webhooks }: Dependencies): DeferredWork {
  const { feed, streams } = services.activity;
  return {
    async hold() {
      const release = await jobs.hold();
      const sendAtOnce = webhooks.sendInTurn();
      return () => {
        sendAtOnce();
        release();
      };
    },
    findNext: jobs.findNext,
    runFirst: jobs.runFirst,
    async settle(signal) {
      await feed.waitUntilCaughtUp();
      while (!webhooks.isIdle() || !streams.isIdle()) {
        signal.throwIfAborted();
        await pause(LOOK_MS);
      }
    },
  };
}
