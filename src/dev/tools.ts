import type { IncomingMessage } from 'node:http';
import type { Operation } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import type { BrandedService } from '../http/pages/document.ts';
import { ClockTool, type ClockToolOptions } from './clock/clock-tool.ts';
import type { MovableClock } from './clock/movable-clock.ts';
import { explorerCalls } from './data/explorer.ts';
import { type DeliveryToolOptions, deliveryCalls } from './delivery/delivery-tool.ts';
import { readDevFile } from './dev-folder.ts';
import { faultCalls } from './faults/calls.ts';
import type { FaultInjector } from './faults/injector.ts';
import { homeCalls } from './home/home-tool.ts';
import { Inspector, type InspectorOptions } from './requests/inspector.ts';
import { applicationFinder } from './requests/matching.ts';
import { keepBody } from './requests/received.ts';
import type { Recorder } from './requests/recorder.ts';
import { SignatureDebugger, type SignatureDebuggerOptions } from './signatures/debugger.ts';
import { type SnapshotSubject, SnapshotTool } from './snapshots/snapshot-tool.ts';
import { type DevCall, DevError, devCall } from './surface/call.ts';
import { createSurface, type GuardRules, guard } from './surface/surface.ts';
import { ToolPages } from './surface/tool-pages.ts';
import { Workbench } from './workbench/workbench.ts';
import type { ExportParts } from './worlds/export-world.ts';

/** The dependencies of the tools. */
export interface ToolsOptions
  extends Omit<SignatureDebuggerOptions, 'pages'>,
    Omit<InspectorOptions, 'pages'>,
    Omit<ClockToolOptions, 'pages'>,
    Pick<DeliveryToolOptions, 'delivery'> {
  readonly clock: MovableClock;
  readonly guard: GuardRules;
  readonly snapshots: SnapshotSubject;
  /** Undefined where no requests are recorded. */
  readonly requests: Recorder | undefined;
  readonly faults: FaultInjector;
  /** The dependencies of an export of the world, made when there is one. */
  readonly exporting: () => Promise<ExportParts>;
  readonly branding: BrandedService;
  /** Where `dev.json` is. */
  readonly dataFolder: string;
  readonly operations: readonly Operation[];
  readonly resources: readonly AnyResource[];
}

/** Makes all tools for developers, with the calls below `/_dev` that control them. */
export function developerTools(options: ToolsOptions): DeveloperToolsOf {
  const { requests, faults } = options;
  const pages = new ToolPages(options.branding, requests !== undefined);
  const clock = new ClockTool({ ...options, pages });
  const signatures = new SignatureDebugger({ ...options, pages });
  const subject: SnapshotSubject = {
    ...options.snapshots,
    async adopt(notes) {
      await options.snapshots.adopt(notes);
      // They would disturb the next test. @source decision 912
      faults.rules.replace([]);
    },
  };
  const snapshots = new SnapshotTool(subject, pages);
  const calls = [
    ...clock.calls(),
    ...signatures.calls(),
    ...snapshots.calls().map((call) => betweenAdvances(call, clock)),
    ...requestCalls(options, signatures, pages, clock),
    ...explorerCalls({ ...options, pages }),
    ...otherCalls(options, pages),
  ];
  const answer = createSurface(calls, options.guard, options.log);
  return (listener) => ({
    arrive(request, response) {
      clock.date(response);
      if (snapshots.gate.arrive(request, response)) return true;
      if (answer(listener, request, response)) return true;
      if (requests && !isOfOwnPages(request.url!)) requests.arrive(listener, request, response);
      else keepBody(request);
      return false;
    },
    keys: (request) => keysFor(request, options),
    pass(request, response) {
      requests?.tapReply(request, response);
    },
    performing(exchange, call) {
      requests?.performing(exchange, call);
      return faults.performing(exchange);
    },
    streaming(exchange, headers, response) {
      requests?.replying(exchange);
      requests?.tapReply(exchange.request, response);
      faults.streaming(exchange, headers, response);
    },
    async reply(exchange, reply, response) {
      requests?.replying(exchange);
      const fault = faults.replying(exchange, reply, response);
      if (fault) {
        requests?.tapReply(exchange.request, response);
        return fault;
      }
      if (reply.status >= 400) await signatures.trace(listener, exchange, reply);
      requests?.replied(exchange.request, reply);
      return false;
    },
  });
}

/** A call that changes snapshots, refused during an advance: a snapshot has the contents of one time. */
function betweenAdvances(call: DevCall, clock: ClockTool): DevCall {
  if (call.method === 'GET') return call;
  return {
    ...call,
    perform(request) {
      clock.refuseWhileAdvancing();
      return call.perform(request);
    },
  };
}

/** The tools that show recorded requests, and the home page. */
function requestCalls(
  options: ToolsOptions,
  signatures: SignatureDebugger,
  pages: ToolPages,
  clock: ClockTool,
): readonly DevCall[] {
  const { requests, branding, log } = options;
  requests?.listen(log);
  const inspector = requests && new Inspector(requests.ring, { ...options, pages });
  const lastRequests = inspector && (() => inspector.lastItems('5'));
  return [
    ...homeCalls({ ...options, pages, clock, lastRequests, serviceName: branding.name }),
    ...(inspector?.calls() ?? []),
    ...(inspector ? new Workbench({ ...options, requests, inspector, signatures, pages }).calls() : []),
  ];
}

function otherCalls(options: ToolsOptions, pages: ToolPages): readonly DevCall[] {
  const { faults, operations, store } = options;
  return [
    ...deliveryCalls(options),
    devCall('POST /_dev/rates/reset', 'Opens all rate windows anew.', ({ listener }) => {
      if (listener.resetRates()) return;
      throw new DevError(501, 'RATES_SHARED', 'the rate windows are in Redis, where other servers may count too');
    }),
    exportCall(options.exporting),
    ...faultCalls(faults, { operations, applicationIdOf: applicationFinder(store) }, pages),
  ];
}

/** Pages of the service and their files: recording visits would drive out the requests of clients. @source decision 1131 */
function isOfOwnPages(target: string): boolean {
  return /^\/(?:ads|developer|docs|favicon\.ico|pages|reference|settings)(?:[/?]|$)/.test(target);
}

/** The contents of `dev.json`, without revoked and changed keys; undefined for those who may not see them. */
function keysFor(
  request: IncomingMessage,
  options: Pick<ToolsOptions, 'dataFolder' | 'guard'>,
): Readonly<Record<string, string | undefined>> | undefined {
  try {
    guard(request, options.guard);
    return { ...readDevFile(options.dataFolder) };
  } catch {
    return undefined;
  }
}

/** The call that exports the world; its code is loaded when it is called. */
function exportCall(partsOf: () => Promise<ExportParts>): DevCall {
  return devCall('GET /_dev/world', 'Exports the world as a world file has it; ?with_keys=true.', async ({ query }) => {
    for (const name of query.keys()) {
      if (name === 'with_keys') continue;
      throw new DevError(400, 'PARAMETER_UNKNOWN', `${name} is no parameter of this call`, name);
    }
    const withKeys = query.get('with_keys') ?? 'false';
    if (withKeys !== 'true' && withKeys !== 'false') {
      throw new DevError(400, 'INVALID', 'with_keys must be true or false', 'with_keys');
    }
    const { exportWorld } = await import('./worlds/export-world.ts');
    return exportWorld(await partsOf(), { withKeys: withKeys === 'true' });
  });
}
