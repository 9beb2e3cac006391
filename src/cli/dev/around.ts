import type { DependencyOverrides } from '../../app/dependencies.ts';
import type { FaultInjector } from '../../dev/faults/injector.ts';
import type { RequestTap } from '../../dev/requests/tap.ts';

/** What watches and disturbs the parts of a service; it is there before them. */
export interface Around {
  /** Undefined when no requests are recorded. */
  readonly requests: RequestTap | undefined;
  readonly faults: FaultInjector;
  readonly seams: DependencyOverrides;
}

/** Opens it. Nothing of it is loaded unless development mode starts. */
export async function openAround(recordsRequests: boolean): Promise<Around> {
  const { requestTap } = await import('../../dev/requests/tap.ts');
  const { faultInjector } = await import('../../dev/faults/injector.ts');
  const { observedDriver } = await import('../../storage/core/observed-driver.ts');
  const requests = recordsRequests ? requestTap() : undefined;
  const recorder = requests?.recorder;
  const faults = faultInjector((request, ids) => recorder?.touched(request, ids));
  const { aroundSender, aroundJobKinds } = faults;
  return {
    ...{ requests, faults },
    seams: {
      aroundJobKinds,
      aroundSender: (sender) => recorder?.around(aroundSender(sender)) ?? aroundSender(sender),
      ...(recorder && { aroundDriver: (driver) => observedDriver(driver, recorder.scope) }),
    },
  };
}
