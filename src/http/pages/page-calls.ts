import type { IncomingMessage } from 'node:http';
import type { Environment } from '../../contract/declare/account-state.ts';
import { consoleCaller } from '../../contract/declare/callers.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { CallFromPage, PageCallInput, PageCallReply } from '../../contract/declare/pages.ts';
import { BatchProblem } from '../../contract/problems/batch-problem.ts';
import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { User } from '../../contract/store/credentials.ts';
import { echo } from '../../engine/echo.ts';
import { envelope } from '../../engine/envelope.ts';
import { performOperation } from '../../engine/perform-operation.ts';
import { admitCaller, auditOrigin, callOrigin, createExchange } from '../call-steps.ts';
import { errorReply } from '../error-reply.ts';
import type { PipelineDependencies } from '../exchange.ts';

/** The pipelines for calls of pages, by environment. */
export type CallDeps = Readonly<Record<Environment, PipelineDependencies>>;

/**
 * Returns a function with which a page calls operations for its user. Role, rates and parameters are checked as for a signed
 * request. The page has already passed the fence, and sends no files.
 */
export function callsOf(deps: CallDeps, request: IncomingMessage, user: User): CallFromPage {
  const caller = consoleCaller(user.id);
  return async (environment, id, given = {}) => {
    const own = deps[environment];
    const operation = own.operations.find((each) => each.id === id);
    if (!operation) throw new Error(`there is no operation ${id}`);
    const { path, raw } = partsOf(operation, given);
    const exchange = createExchange(own, operation, request, path);
    exchange.caller = caller;
    exchange.echoedParams = operation.shape === 'batch' ? '[]' : echo(path, {}, {});
    const base_url = own.services.pageUrl(environment, '');
    const shown = { method: operation.method, path: filledPath(operation, path), environment, base_url, ...given };
    const replyOf = (status: number, text: string, refusals: PageCallReply['refusals'] = []): PageCallReply => ({
      ...{ status, isDone: status < 400, refusals, shown },
      reply: text === '' ? undefined : JSON.parse(text),
    });
    try {
      const access = await admitCaller(own, exchange, raw, undefined);
      const input = { raw, body: given.body, files: new Map() };
      const answer = await performOperation(exchange, callOrigin(own, exchange, own.services), access, input);
      return replyOf(answer.status ?? 200, envelope(operation, answer, exchange.echoedParams));
    } catch (error) {
      // Anything else is an error of the page.
      if (!(error instanceof Problem || error instanceof BatchProblem)) throw error;
      // So is a change whose outcome is unknown.
      if (error instanceof StoreUnavailable && error.isOutcomeUnknown) throw error;
      const { status, body } = errorReply(error, operation.family, exchange.echoedParams, { base: () => '' });
      return replyOf(status, body, error instanceof Problem ? error.errors : error.items.flat());
    } finally {
      if (exchange.auditEvents.length > 0) await own.auditLog.record(exchange.auditEvents, auditOrigin(own, exchange));
    }
  };
}

/** The parameters of a path, and the others. */
function partsOf(
  { path: template, body: kind }: Operation,
  { parameters = {}, body }: PageCallInput,
): { path: Record<string, string>; raw: Map<string, readonly RawValue[]> } {
  const names = new Set(template.split('/').flatMap((each) => (each.startsWith(':') ? [each.slice(1)] : [])));
  const path: Record<string, string> = {};
  const raw = new Map<string, readonly RawValue[]>();
  // The members of such a body are the parameters.
  if (kind === 'object' && typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) raw.set(name, [value]);
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    if (names.has(name)) path[name] = String(value);
    else raw.set(name, [String(value)]);
  }
  return { path, raw };
}

function filledPath({ path }: Operation, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!));
}
