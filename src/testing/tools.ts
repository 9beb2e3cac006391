import type { Send } from './send.ts';
import type { Barker, Snapshot } from './types.ts';

/** The clock of the service. Times are UTC texts such as `2026-03-02T09:00:00Z`; durations are texts such as `P7D` and `PT30M`. */
export interface Clock {
  /** The current time, with milliseconds. */
  now(): Promise<string>;
  /** The state of the clock. */
  show(): Promise<ClockState>;
  /** Moves it forward by a duration, running every due job at its time. @throws Refused */
  advance(by: string): Promise<ClockState>;
  /** Moves it forward to a time, running every due job at its time. @throws Refused */
  advanceTo(time: string): Promise<ClockState>;
  /** Moves it forward at once; skipped jobs run afterwards. @throws Refused */
  set(time: string): Promise<ClockState>;
  /** Stops it. */
  freeze(): Promise<ClockState>;
  /** Starts it again from its current time. */
  run(): Promise<ClockState>;
}

/** The state of the clock. */
export interface ClockState {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  /** Offset from the clock of the machine. */
  readonly offset_s: number;
  readonly status: 'ready' | 'advancing' | 'failed';
  /** Target of a running advance; null without one. */
  readonly until: string | null;
  /** Number of jobs that the last advance ran. */
  readonly steps_done: number;
  /** The next due job. */
  readonly next_due: { readonly at: string; readonly kind: string } | null;
  /** Why the last advance failed. */
  readonly failure?: string;
}

/** Timeout of an advance. */
const WAIT_MS = 600_000;

/** Creates the clock client of a server. */
export function createClock(dev: Barker['dev']): Clock {
  const show = () => dev<ClockState>('GET', '/_dev/clock');
  const put = (body: object) => dev<ClockState>('PUT', '/_dev/clock', body);
  const advance = (body: object) => dev<ClockState>('POST', '/_dev/clock/advance', { ...body, wait_ms: WAIT_MS });
  return {
    show,
    now: async () => (await show()).now,
    advance: (by) => advance({ by }),
    advanceTo: (to) => advance({ to }),
    set: (now) => put({ now }),
    freeze: () => put({ mode: 'frozen' }),
    run: () => put({ mode: 'running' }),
  };
}

/** Injects faults into a server under test. */
export interface Faults {
  /** Adds a rule. @throws Refused */
  add(rule: FaultRule): Promise<Fault>;
  /** Returns all rules with their hits. */
  list(): Promise<readonly FaultStatus[]>;
  /** Removes all rules. */
  clear(): Promise<void>;
}

/** A rule that was added. */
export interface Fault {
  /** Sent as `x-barker-fault` with every affected reply. */
  readonly id: string;
  /** Returns how many requests it has affected. */
  hits(): Promise<number>;
  remove(): Promise<void>;
}

/** Which requests are affected, how often, and how. Without `match`: all. */
export interface FaultRule {
  readonly id?: string;
  readonly match?: {
    /** Such as `campaigns.create` or `campaigns.*`. */
    readonly operation?: string;
    readonly method?: string;
    /** Without the query; `*` stands for anything but slashes. */
    readonly path?: string;
    readonly account?: string;
    /** Name, id or consumer key. */
    readonly application?: string;
    /** Parameters of query or form, with `*`. */
    readonly query?: Readonly<Record<string, string>>;
  };
  /** `after` performs the call and drops the reply, to test whether clients repeat it safely. */
  readonly when?: 'before' | 'after';
  /** Skips this many matching requests first. */
  readonly skip?: number;
  /** Then affects every nth. */
  readonly every?: number;
  /** Affects at most this many. */
  readonly times?: number;
  readonly probability?: number;
  /** Seed for probability and random delays. */
  readonly seed?: number;
  /** The rule expires after this many seconds. */
  readonly for_s?: number;
  readonly do: FaultActions;
}

/** The effects of a fault; `docs/development.md` describes each. */
export interface FaultActions {
  readonly delay?:
    | number
    | { readonly ms: number }
    | { readonly uniform: readonly [from_ms: number, to_ms: number] }
    | { readonly lognormal: { readonly median: number; readonly sigma: number } };
  readonly reset?: true;
  readonly reply?: {
    readonly status: number;
    readonly code?: string | number;
    readonly message?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly retry_after_s?: number;
  };
  readonly rate_limited?: true | { readonly retry_after_s: number };
  readonly close?: { readonly after_bytes?: number };
  readonly truncate?: { readonly fraction?: number };
  readonly malformed?: true;
  readonly dribble?: { readonly chunks?: number; readonly over_ms: number };
  readonly partial_success?: { readonly n: number };
  readonly stall?: true | { readonly after_events: number };
  readonly drop_mid_object?: true | { readonly after_events: number };
  readonly no_heartbeat?: true;
  readonly webhook?: 'timeout' | 'reset' | { readonly status: number };
  readonly job?: { readonly kind: string; readonly fail?: number };
}

/** A rule as the server returns it. */
export interface FaultStatus extends FaultRule {
  readonly id: string;
  readonly hits: number;
}

/** Creates the fault client of a server. */
export function createFaults(dev: Barker['dev']): Faults {
  return {
    async add(rule) {
      const { id } = await dev<{ id: string }>('POST', '/_dev/faults', rule);
      const path = `/_dev/faults/${encodeURIComponent(id)}` as const;
      return {
        id,
        hits: async () => (await dev<FaultStatus>('GET', path)).hits,
        remove: async () => void (await dev('DELETE', path)),
      };
    },
    list: async () => (await dev<{ faults: FaultStatus[] }>('GET', '/_dev/faults')).faults,
    clear: async () => void (await dev('DELETE', '/_dev/faults')),
  };
}

/** The latest requests that the server received and sent, without secrets. */
export interface Requests {
  /** Returns matching requests, newest first. @throws Refused */
  list(match?: RequestMatch, options?: { readonly after?: string; readonly limit?: number }): Promise<SeenRequest[]>;
  /** Returns a request with all details. @throws Refused */
  get(id: string): Promise<SeenRequest>;
  /**
   * Waits until `count` requests after the one with the id `since` have matched, and returns them, oldest first.
   * @throws Refused TIMED_OUT, with the near misses
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<SeenRequest[]>;
  /** Clears the list. */
  clear(): Promise<void>;
}

/** Criteria for requests; all must match. */
export interface RequestMatch {
  /** `out`: sent by the server to webhooks. */
  readonly direction?: 'in' | 'out';
  readonly kind?: 'call' | 'other' | 'webhook' | 'challenge';
  /** Such as `campaigns.create` or `campaigns.*`. */
  readonly operation?: string;
  readonly method?: string;
  /** Without the query; `*` stands for anything but slashes, `**` for anything. */
  readonly path?: string;
  /** Such as `404` or `4xx`. */
  readonly status?: string | number;
  readonly account?: string;
  /** Name, id or consumer key. */
  readonly application?: string;
  readonly user?: string;
  readonly event_type?: string;
}

/** The requests to wait for, and the timeout. */
export interface WaitOptions {
  readonly count?: number;
  readonly since?: string;
  /** In milliseconds; 10,000 by default, at most 60,000. */
  readonly timeout_ms?: number;
}

/** A received or sent request. The named members are always present; `GET /_dev/requests/:id` has more. */
export interface SeenRequest {
  readonly id: string;
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly kind: string;
  readonly method: string;
  /** Path and query; the URL of sent requests. */
  readonly target: string;
  /** Null until there is a reply. */
  readonly status: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: the rest has many shapes, and tests look into it
  readonly [member: string]: any;
}

/** Creates the request client of a server. */
export function createRequests(dev: Barker['dev']): Requests {
  type Listed = { readonly requests: SeenRequest[] };
  return {
    async list(match = {}, options = {}) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries({ ...match, ...options })) {
        if (value !== undefined) query.set(name, String(value));
      }
      return (await dev<Listed>('GET', `/_dev/requests?${query}`)).requests;
    },
    get: (id) => dev('GET', `/_dev/requests/${encodeURIComponent(id)}`),
    waitFor: async (match, options = {}) =>
      (await dev<Listed>('POST', '/_dev/requests/wait', { match, ...options })).requests,
    clear: async () => void (await dev('DELETE', '/_dev/requests')),
  };
}

/** A snapshot as the server returns it. */
type SnapshotReply = Pick<Snapshot, 'name' | 'at' | 'clock' | 'bytes'>;

/** Takes a snapshot. @throws Refused */
export async function takeSnapshot(dev: Barker['dev'], name: string): Promise<Snapshot> {
  const path = `/_dev/snapshots/${encodeURIComponent(name)}` as const;
  const taken = await dev<SnapshotReply>('PUT', path);
  return {
    ...taken,
    restore: async () => void (await dev('POST', `${path}/restore`)),
    remove: async () => void (await dev('DELETE', path)),
  };
}

interface RefusalBody {
  readonly error?: Record<'code' | 'message' | 'field', string | undefined>;
  /** Of a wait that timed out. */
  readonly near_misses?: readonly (SeenRequest & { readonly differs: readonly string[] })[];
}

/** A refused call below `/_dev`. */
export class Refused extends Error {
  readonly status: number;
  /** Such as `CALL_UNKNOWN`. */
  readonly code: string;
  /** The invalid member of the body. */
  readonly field: string | undefined;
  /** The whole body of the reply. */
  readonly body: unknown;

  constructor(call: string, status: number, body: unknown) {
    const { error, near_misses } = (body ?? {}) as RefusalBody;
    const instead = near_misses?.map(
      (each) => `\n  ${each.status} ${each.method} ${each.target}, which differs in ${differencesOf(each).join(', ')}`,
    );
    const came = instead?.length ? `; instead there were:${instead.join('')}` : '';
    super(`${call}: ${error?.message ?? `status ${status}`}${came}`);
    this.name = 'Refused';
    this.status = status;
    this.code = error?.code ?? '';
    this.field = error?.field;
    this.body = body;
  }
}

/** The members in which a request differs, with values that its line does not show. */
function differencesOf({ differs, ...seen }: SeenRequest & { readonly differs: readonly string[] }): string[] {
  return differs.map((name) =>
    ['method', 'path', 'status'].includes(name) ? name : `${name} (${seen[name] ?? 'none'})`,
  );
}

/** Creates the function that calls `/_dev`. Servers that other machines can reach require the token. */
export function createDevCall(send: Send, url: string, token: string): Barker['dev'] {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const hasBody = method === 'POST' || method === 'PUT';
    const reply = await send(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) },
      body: hasBody ? JSON.stringify(body ?? {}) : undefined,
    });
    if (reply.status < 300) return reply.body as Body;
    throw new Refused(`${method} ${path.split('?')[0]}`, reply.status, reply.body);
  };
}
