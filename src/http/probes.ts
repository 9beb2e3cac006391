import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { withTimeout } from '../base/timers.ts';
import { send } from './reply.ts';
import { NOSNIFF_HEADERS } from './request-origin.ts';
import type { Routes } from './routes.ts';

/** The paths of the probes. */
export const PROBE_PATHS = ['/livez', '/readyz', '/metrics'] as const;

/** A condition for serving requests well; rejects when it does not hold. */
export type Check = () => Promise<void>;

/** The dependencies of the probes. */
interface ProbeDependencies {
  /** By name; names are public, errors of the checks are not. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Checks of dependencies without which the service is degraded but ready. */
  readonly optionalChecks?: Readonly<Record<string, Check>>;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  /** Undefined when metrics are disabled. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string } | undefined;
}

/** How long the result of the checks is reused, so that probing costs next to nothing. */
const FRESH_MS = 1000;
/** A check that takes longer has failed. */
const CHECK_MS = 1000;

type State = 'ok' | 'degraded' | 'failed';
type States = Readonly<Record<string, State>>;

/**
 * Returns a handler of `/livez` (the process runs), `/readyz` (it should receive requests) and `/metrics`. Checks named by
 * `exclude` in the query do not affect readiness. Needs no credentials, discloses no stored data, and never rejects.
 * @source decision 6 and 1212
 */
export function probes(deps: ProbeDependencies): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let latest: Promise<States> | undefined;
  let latestAt_ms = Number.NEGATIVE_INFINITY;

  /** Runs one round of checks at a time; all requests meanwhile and shortly after share its result. */
  const readiness = (): Promise<States> => {
    const now = deps.clock.now();
    if (!latest || now - latestAt_ms >= FRESH_MS || now < latestAt_ms) {
      latest = check(deps);
      latestAt_ms = now;
    }
    return latest;
  };

  return async (request, response) => {
    const [target, query] = request.url!.split('?', 2);
    const path = target!.replace(/(?<=.)\/$/, '');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply(response, 405, { status: 'only GET and HEAD are allowed' }, ['allow', 'GET, HEAD']);
    }
    if (path === '/livez') return reply(response, 200, { status: 'alive' });
    if (path === '/readyz') {
      const shutdown = deps.isDraining() ? 'failed' : 'ok';
      const states = { ...(await readiness()), shutdown };
      const excluded = new URLSearchParams(query).getAll('exclude');
      const isReady = Object.entries(states).every(([name, state]) => state !== 'failed' || excluded.includes(name));
      const body = { status: isReady ? 'ready' : 'not ready', checks: states };
      return isReady ? reply(response, 200, body) : reply(response, 503, body, ['retry-after', '1']);
    }
    if (path === '/metrics' && deps.metrics) {
      const headers = ['content-type', deps.metrics.contentType, ...NOSNIFF_HEADERS];
      return send(response, 200, headers, await deps.metrics.text());
    }
    reply(response, 404, { status: 'not found' });
  };
}

async function check({ checks, optionalChecks = {} }: ProbeDependencies): Promise<States> {
  const states = [
    ...Object.entries(checks).map(async ([name, run]) => [name, await stateOf(run, 'failed')] as const),
    ...Object.entries(optionalChecks).map(async ([name, run]) => [name, await stateOf(run, 'degraded')] as const),
  ];
  return Object.fromEntries(await Promise.all(states));
}

async function stateOf(run: Check, otherwise: State): Promise<State> {
  try {
    await withTimeout(CHECK_MS, run());
    return 'ok';
  } catch {
    return otherwise;
  }
}

function reply(response: ServerResponse, status: number, body: object, more: readonly string[] = []): void {
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'cache-control',
    'no-store',
    ...NOSNIFF_HEADERS,
    ...more,
  ];
  send(response, status, headers, JSON.stringify(body));
}

/** Adds the probes to a listener of the API, as in development. @source decision 6 */
export function addProbes(routes: Routes, answer: RequestListener): void {
  for (const path of PROBE_PATHS) routes.all(path, answer);
}
