import type { Dependencies, DependencyOverrides } from '../../app/dependencies.ts';
import { pause } from '../../base/timers.ts';
import type { DeferredWork } from '../../dev/clock/advance.ts';
import type { FaultInjector } from '../../dev/faults/injector.ts';
import type { Recorder } from '../../dev/requests/recorder.ts';

/** Instrumentation of a service, created before the service: the request recorder and the fault injector. */
export interface Around {
  /** Undefined if requests are not recorded. */
  readonly requests: Recorder | undefined;
  readonly faults: FaultInjector;
  readonly seams: DependencyOverrides;
}

/** Creates the instrumentation. Its modules are loaded only in development mode. */
export async function openAround(recordsRequests: boolean): Promise<Around> {
  const { Recorder } = await import('../../dev/requests/recorder.ts');
  const { FaultInjector } = await import('../../dev/faults/injector.ts');
  const { observedDriver } = await import('../../storage/core/observed-driver.ts');
  const requests = recordsRequests ? new Recorder() : undefined;
  const faults = new FaultInjector((request, ids) => requests?.touched(request, ids));
  return {
    requests,
    faults,
    seams: {
      aroundJobKinds: (kinds) => faults.aroundJobKinds(kinds),
      aroundSender: (sender) => {
        const disturbed = faults.aroundSender(sender);
        return requests?.around(disturbed) ?? disturbed;
      },
      ...(requests && { aroundDriver: (driver) => observedDriver(driver, requests.scope) }),
    },
  };
}

/** Interval of idle checks of deliveries and streams. */
const LOOK_MS = 2;

/** Steps through the jobs, events, streams and webhooks of a service. */
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
