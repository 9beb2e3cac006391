import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { CONSOLE_APPLICATION, findApplicationOf } from '../contract/declare/callers.ts';
import { isId } from '../contract/declare/fields.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { BatchProblem } from '../contract/problems/batch-problem.ts';
import { AUTHENTICATION_PROBLEMS, Problem, type ProblemName } from '../contract/problems/problems.ts';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import type { UsageRecorder } from './application-usage.ts';
import type { Exchange } from './exchange.ts';
import { Counter, Histogram, type Registry } from './metrics.ts';
import { clientRequestId } from './reply.ts';

/** Observes every reply: counts it for the metrics, and logs it if configured. */
export interface RequestObserver {
  replied(exchange: Exchange, status: number, failure: unknown): void;
  /** Counts and logs a reply without an operation. */
  unrouted(request: IncomingMessage, status: number, transactionId: string): void;
  /** Counts the reply to bytes that never became a request, and logs it, except for plain HTTP on a TLS port. */
  unparsed(address: string, status: number, transactionId: string): void;
  /** Counts a page view. */
  pageVisited(route: string, method: string, status: number): void;
}

/** Creates an observer for one or several listeners. Labels are route templates, never paths. */
export function requestObserver(options: {
  readonly log: Logger;
  readonly accessLog: AccessLog;
  /** Where its metrics are registered. */
  readonly registry: Registry;
  /** The address of the caller. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Counts the calls of applications. */
  readonly usage?: Pick<UsageRecorder, 'note'>;
}): RequestObserver {
  const { log, accessLog } = options;
  const count = countersOf(options.registry);
  const isWanted = (status: number) => logLevelOf(status, undefined, accessLog) !== undefined;
  return {
    unrouted(request, status, transactionId) {
      count.unrouted(status);
      // The path may hold anything, secrets included, so it is not logged.
      if (isWanted(status))
        log.info({ ...describeRequest(request, transactionId, options.addressOf(request)), status }, 'no such route');
    },
    unparsed(address, status, transactionId) {
      count.unrouted(status);
      const line = { transaction_id: transactionId, address, status };
      if (isWanted(status) && status !== 403) log.info(line, 'unreadable request');
    },
    pageVisited: count.pageVisited,
    replied(exchange, status, failure) {
      const duration_ms = performance.now() - exchange.startedAt_ms;
      count.replied(exchange.operation, status, duration_ms / 1000);
      const errors = faultsOf(failure);
      if (errors) count.refused(exchange.operation, errors[0]);
      const application = exchange.caller && findApplicationOf(exchange.caller);
      if (application !== undefined && application !== CONSOLE_APPLICATION) {
        const problem = errors?.[0] ?? (failure === undefined ? '' : 'INTERNAL');
        options.usage?.note(application, exchange.operation.id, status, problem);
      }
      const level = logLevelOf(status, failure, accessLog);
      if (level === 'error')
        log.error(
          { ...describe(exchange, status, duration_ms, options.addressOf(exchange.request)), err: failure },
          'request failed',
        );
      else if (level)
        log.info(
          { ...describe(exchange, status, duration_ms, options.addressOf(exchange.request)), ...why(failure) },
          'request',
        );
    },
  };
}

function countersOf(registry: Registry) {
  const registers = [registry];
  const durations = new Histogram({
    name: 'barker_request_duration_seconds',
    help: 'Time from the request head to the reply, by operation and status.',
    labelNames: ['operation', 'method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const authentication = counter(
    'barker_authentication_failures_total',
    'Requests that failed authentication, by error.',
    ['problem'],
  );
  const limited = counter('barker_rate_limited_total', 'Rate-limited requests.', ['operation']);
  const refusals = counter('barker_refusals_total', 'Other refused requests, by their first error.', [
    'operation',
    'problem',
  ]);
  const lost = counter('barker_unrouted_total', 'Requests that matched no operation, by status.', ['status']);
  const visits = counter('barker_page_visits_total', 'Page views, by page and status.', ['route', 'method', 'status']);
  const children = new Map<Operation, Map<number, { observe(value: number): void }>>();
  const childOf = (operation: Operation, status: number) => {
    let byStatus = children.get(operation);
    if (!byStatus) {
      byStatus = new Map();
      children.set(operation, byStatus);
    }
    let child = byStatus.get(status);
    if (!child) {
      const { id, method, path } = operation;
      child = durations.labels(id, method, path, String(status));
      byStatus.set(status, child);
    }
    return child;
  };
  return {
    replied: (operation: Operation, status: number, duration_s: number) =>
      childOf(operation, status).observe(duration_s),
    refused(operation: Operation, problem: ProblemName | undefined): void {
      if (problem === 'RATE_LIMITED') limited.inc({ operation: operation.id });
      else if (problem && AUTHENTICATION_PROBLEMS.includes(problem)) authentication.inc({ problem });
      else refusals.inc({ operation: operation.id, problem: problem ?? 'none' });
    },
    unrouted: (status: number) => lost.inc({ status }),
    pageVisited: (route: string, method: string, status: number) => visits.inc({ route, method, status }),
  };
}

/** The log members of a request: never its parameters, headers or secrets. @source decision 9 */
function describe(exchange: Exchange, status: number, duration_ms: number, address: string): Record<string, unknown> {
  const { operation, caller, transactionId, request, path } = exchange;
  return {
    ...describeRequest(request, transactionId, address),
    operation: operation.id,
    route: operation.path,
    status,
    duration_ms: Math.round(duration_ms * 100) / 100,
    user_id: caller?.kind === 'user' ? caller.user : undefined,
    application_id: caller && findApplicationOf(caller),
    // Anything else at this place of the path is not an id, and may be a secret.
    account_id: path.account_id && path.account_id.length <= 16 && isId(path.account_id) ? path.account_id : undefined,
  };
}

function describeRequest(request: IncomingMessage, transactionId: string, address: string): Record<string, unknown> {
  return { method: request.method, transaction_id: transactionId, request_id: clientRequestId(request), address };
}

/** The problems of a refused request, those of all items of a batch included; undefined for other failures. */
function faultsOf(failure: unknown): ProblemName[] | undefined {
  if (failure instanceof Problem) return failure.errors.map((error) => error.problem);
  if (failure instanceof BatchProblem) return failure.items.flat().map((error) => error.problem);
  return undefined;
}

/** Why a request was refused. The text may quote names that the caller chose, so long words are cut. */
function why(failure: unknown): Record<string, unknown> {
  const problems = faultsOf(failure);
  if (!problems) return {};
  const because = (failure as Error).message.replace(/[A-Za-z0-9+/=-]{16,}/g, (word) => `${word.slice(0, 6)}...`);
  return { problems: [...new Set(problems)], because };
}

/** The requests that are logged. */
export type AccessLog = 'all' | 'failures' | 'off';

/**
 * The log level of a reply; undefined when it is not logged. The log reports an outage of the database once, so a
 * request that failed because of it is logged only when all requests are.
 */
export function logLevelOf(status: number, failure: unknown, accessLog: AccessLog): 'error' | 'info' | undefined {
  const isUnavailable = failure instanceof StoreUnavailable;
  if (status >= 500 && !isUnavailable) return 'error';
  if (accessLog === 'all') return 'info';
  const isReported = isUnavailable && failure.isOutage;
  return accessLog === 'failures' && status >= 400 && !isReported ? 'info' : undefined;
}
