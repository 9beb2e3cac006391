import type { Dependencies, DependencyOverrides } from '../../app/dependencies.ts';
import { pause } from '../../base/timers.ts';
import type { DeferredWork } from '../../dev/clock/advance.ts';
import type { FaultInjector } from '../../dev/faults/injector.ts';
import type { Recorder } from '../../dev/requests/recorder.ts';

/** The recorder and the faults around the parts of a service; they are there before these. */
export interface Around {
  /** Undefined when no requests are recorded. */
  readonly requests: Recorder | undefined;
  readonly faults: FaultInjector;
  readonly seams: DependencyOverrides;
}

/** Opens it. Nothing of it is loaded unless development mode starts. */
export async function openAround(recordsRequests: boolean): Promise<Around> {
  const { Recorder } = await import('../../dev/requests/recorder.ts');
  const { faultInjector } = await import('../../dev/faults/injector.ts');
  const { observedDriver } = await import('../../storage/core/observed-driver.ts');
  const requests = recordsRequests ? new Recorder() : undefined;
  const faults = faultInjector((request, ids) => requests?.touched(request, ids));
  const { aroundSender, aroundJobKinds } = faults;
  return {
    requests,
    faults,
    seams: {
      aroundJobKinds,
      aroundSender: (sender) => requests?.around(aroundSender(sender)) ?? aroundSender(sender),
      ...(requests && { aroundDriver: (driver) => observedDriver(driver, requests.scope) }),
    },
  };
}

/** How often idleness of deliveries and streams is checked, in milliseconds. */
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
    findNext: (which) => jobs.findNext(which),
    runFirst: (which) => jobs.runFirst(which),
    async settle(signal) {
      await feed.waitUntilCaughtUp();
      while (!webhooks.isIdle() || !streams.isIdle()) {
        signal.throwIfAborted();
        await pause(LOOK_MS);
      }
    },
  };
}
