import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../contract/problems.ts';
import type { Exchange } from './pipeline.ts';

/** Sees every reply: counts it for the metrics, and writes it to the log when it is asked to. */
export interface Observer {
  replied(exchange: Exchange, status: number, failure: unknown): void;
  /** Counts a reply that no operation gave. */
  unrouted(status: number): void;
  /** The metrics as Prometheus text. */
  metrics(): Promise<string>;
  readonly contentType: string;
}

/** Which requests get a line in the log. */
export type AccessLog = 'all' | 'failures' | 'off';

/** Observes the requests of one listener or several. Labels are route templates, never paths. */
export function observer(options: {
  readonly log: Logger;
  readonly accessLog: AccessLog;
  readonly gauges: Readonly<Record<string, { help: string; value: () => number }>>;
}): Observer {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'barker_request_duration_seconds',
    help: 'Time from the request head to the reply, by operation and status.',
    labelNames: ['operation', 'method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'barker_refusals_total',
    help: 'Requests refused, by the first problem.',
    labelNames: ['operation', 'problem'],
    registers: [registry],
  });
  const lost = new Counter({
    name: 'barker_unrouted_total',
    help: 'Requests that no operation answers, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  for (const [name, { help, value }] of Object.entries(options.gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
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
    contentType: registry.contentType,
    metrics: () => registry.metrics(),
    unrouted: (status) => lost.inc({ status }),
    replied(exchange, status, failure) {
      const duration_ms = performance.now() - exchange.startedAt_ms;
      childOf(exchange.operation, status).observe(duration_ms / 1000);
      if (failure instanceof Problem) {
        refusals.inc({ operation: exchange.operation.id, problem: failure.faults[0]?.problem ?? 'none' });
      }
      if (status >= 500)
        options.log.error({ ...describe(exchange, status, duration_ms), err: failure }, 'request failed');
      else if (options.accessLog === 'all' || (options.accessLog === 'failures' && status >= 400)) {
        const because = failure instanceof Error ? failure.message : undefined;
        options.log.info({ ...describe(exchange, status, duration_ms), because }, 'request');
      }
    },
  };
}

/** What the log may say of a request: never its parameters, headers or secrets. */
function describe(exchange: Exchange, status: number, duration_ms: number): Record<string, unknown> {
  const { operation, principal, transactionId, request } = exchange;
  const requestId = String(request.headers['x-request-id'] ?? '');
  return {
    operation: operation.id,
    method: request.method,
    route: operation.path,
    status,
    duration_ms: Math.round(duration_ms * 100) / 100,
    transaction_id: transactionId,
    request_id: /^[\w.-]{1,64}$/.test(requestId) ? requestId : undefined,
    user_id: principal?.user,
    application_id: principal?.application,
    account_id: exchange.path.account_id,
    address: request.socket.remoteAddress,
  };
}
