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
