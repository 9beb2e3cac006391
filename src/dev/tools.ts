import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import type { BrandedService } from '../http/pages/document.ts';
import { type ClockToolOptions, clockTool } from './clock/clock-tool.ts';
import type { MovableClock } from './clock/movable-clock.ts';
import { type DeliveryToolOptions, deliveryCalls } from './delivery/delivery-tool.ts';
import { faultCalls } from './faults/calls.ts';
import type { FaultInjector } from './faults/injector.ts';
import { applicationFinder } from './requests/applications.ts';
import { type InspectorOptions, inspectorCalls } from './requests/inspector.ts';
import { rateCalls } from './requests/rates.ts';
import { keepBody } from './requests/received.ts';
import type { RequestTap } from './requests/tap.ts';
import { type SignatureDebuggerOptions, signatureDebugger } from './signatures/debugger.ts';
import { type SnapshotSubject, snapshotTool } from './snapshots/snapshot-tool.ts';
import type { DevCall } from './surface/call.ts';
import { type GuardRules, guard } from './surface/guard.ts';
import { identityRows } from './surface/identity-rows.ts';
import { surfaceOf } from './surface/surface.ts';
import { openToolPages } from './surface/tool-pages.ts';
import type { ExportParts } from './worlds/export-world.ts';
import { exportCall } from './worlds/world-call.ts';

/** What the tools are made of. */
export interface ToolsOptions
  extends Omit<SignatureDebuggerOptions, 'pages'>,
    Omit<InspectorOptions, 'pages'>,
    Omit<ClockToolOptions, 'pages'>,
    Pick<DeliveryToolOptions, 'delivery'> {
  readonly clock: MovableClock;
  readonly guard: GuardRules;
  readonly snapshots: SnapshotSubject;
  /** What records requests; undefined when none are recorded. */
  readonly requests: RequestTap | undefined;
  readonly faults: FaultInjector;
  /** What exporting the world depends on; asked for when it is. */
  readonly exporting: () => Promise<ExportParts>;
  readonly branding: BrandedService;
  /** Where `dev.json` is. */
  readonly dataFolder: string;
}

/** Makes all tools for developers, with the calls below `/_dev` that control them. */
export function developerTools(options: ToolsOptions): DeveloperToolsOf {
  const { requests, faults, operations, store, branding } = options;
  const pages = openToolPages(branding, requests !== undefined);
  const clock = clockTool({ ...options, pages });
  const signatures = signatureDebugger({ ...options, pages });
  const subject: SnapshotSubject = {
    ...options.snapshots,
    async adopt(notes) {
      await options.snapshots.adopt(notes);
      // They would disturb the next test. @source decision 912
      faults.rules.replace([]);
    },
  };
  const snapshots = snapshotTool(subject, pages);
  // A snapshot has the contents of one time.
  const betweenAdvances = snapshots.calls.map((call) =>
    call.method === 'GET' ? call : clock.refuseWhileAdvancing(call),
  );
  const calls: readonly DevCall[] = [
    ...clock.calls,
    ...signatures.calls,
    ...betweenAdvances,
    ...(requests ? inspectorCalls(requests.ring, { ...options, pages }) : []),
    ...deliveryCalls(options),
    ...rateCalls,
    exportCall(options.exporting),
    ...faultCalls(faults, { operations, applicationIdOf: applicationFinder(store) }, pages),
  ];
  const surface = surfaceOf(calls, options.guard, options.log);
  return (listener) => ({
    arrive(request, response) {
      clock.date(response);
      if (snapshots.gate.arrive(request, response)) return true;
      if (surface.answer(listener, request, response)) return true;
      if (requests && !isOfOwnPages(request.url!)) requests.recorder.arrive(listener, request, response);
      else keepBody(request);
      return false;
    },
    identities(request) {
      try {
        guard(request, options.guard);
        return identityRows(options.dataFolder);
      } catch {
        return [];
      }
    },
    pass(request, response) {
      requests?.recorder.tapReply(request, response);
    },
    performing(exchange, call) {
      requests?.recorder.performing(exchange, call);
      return faults.performing(exchange);
    },
    streaming(exchange, headers, response) {
      requests?.recorder.replying(exchange);
      requests?.recorder.tapReply(exchange.request, response);
      faults.streaming(exchange, headers, response);
    },
    async reply(exchange, reply, response) {
      requests?.recorder.replying(exchange);
      const fault = faults.replying(exchange, reply, response);
      if (fault) {
        requests?.recorder.tapReply(exchange.request, response);
        return fault;
      }
      if (reply.status >= 400) await signatures.trace(listener, exchange, reply);
      requests?.recorder.replied(exchange.request, reply);
      return false;
    },
  });
}

/** Pages that no client of the API calls, and what they load: a visit would drive out what is looked for. @source decision 1131 */
function isOfOwnPages(target: string): boolean {
  return /^\/(?:ads|developer|docs|favicon\.ico|pages|reference|settings)(?:[/?]|$)/.test(target);
}
