import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import { keepBody } from './requests/received.ts';
import { type SignatureDebuggerOptions, signatureDebugger } from './signatures/debugger.ts';
import { type SnapshotSubject, snapshotTool } from './snapshots/snapshot-tool.ts';
import type { DevCall } from './surface/call.ts';
import type { GuardRules } from './surface/guard.ts';
import { surfaceOf } from './surface/surface.ts';

/** What the tools are made of. */
export interface ToolsOptions extends SignatureDebuggerOptions {
  readonly guard: GuardRules;
  readonly snapshots: SnapshotSubject;
}

/** Makes all tools for developers, with the calls below `/_dev` that control them. */
export function developerTools(options: ToolsOptions): DeveloperToolsOf {
  const signatures = signatureDebugger(options);
  const snapshots = snapshotTool(options.snapshots);
  const calls: readonly DevCall[] = [...signatures.calls, ...snapshots.calls];
  const surface = surfaceOf(calls, options.guard, options.log);
  return (listener) => ({
    arrive(request, response) {
      if (snapshots.gate.arrive(request, response)) return true;
      if (surface.answer(listener, request, response)) return true;
      keepBody(request);
      return false;
    },
    async reply(exchange, reply) {
      if (reply.status >= 400) await signatures.trace(listener, exchange, reply);
      return false;
    },
  });
}
