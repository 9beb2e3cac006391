import type { Send } from './send.ts';
import type { Barker, Snapshot } from './types.ts';

/** The clock of the service. Times are UTC texts such as `2026-03-02T09:00:00Z`, durations are like `P7D` and `PT30M`. */
export interface Clock {
  /** What it shows, with milliseconds. */
  now(): Promise<string>;
  /** Everything about it. */
  show(): Promise<ClockState>;
  /** Moves it forward through everything that is due on the way; resolves when it is there. @throws Refused */
  advance(by: string): Promise<ClockState>;
  /** The same, to a time. @throws Refused */
  advanceTo(time: string): Promise<ClockState>;
  /** Moves it forward at once: what is due on the way is done then. @throws Refused */
  set(time: string): Promise<ClockState>;
  /** Lets it stand still. */
  freeze(): Promise<ClockState>;
  /** Lets it run on from what it shows. */
  run(): Promise<ClockState>;
}

/** The state of the clock. */
export interface ClockState {
  readonly now: string;
  readonly mode: 'running' | 'frozen';
  /** How far it is ahead of the clock of the machine. */
  readonly offset_s: number;
  readonly status: 'ready' | 'advancing' | 'failed';
  /** Where an advance goes; null when none is under way. */
  readonly until: string | null;
  /** The jobs that the last advance has done. */
  readonly steps_done: number;
  /** The job that is due next. */
  readonly next_due: { readonly at: string; readonly kind: string } | null;
  /** Why the last advance failed. */
  readonly failure?: string;
}

/** How long a call waits for the end of an advance, which takes no longer. */
const WAIT_MS = 600_000;

/** Makes the clock of a server. */
export function clockOf(dev: Barker['dev']): Clock {
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

/** What goes wrong on purpose. */
export interface Faults {
  /** Adds a rule. @throws Refused */
  add(rule: FaultRule): Promise<Fault>;
  /** All rules, with how often each was used. */
  list(): Promise<readonly ShownFault[]>;
  /** Removes all. */
  clear(): Promise<void>;
}

/** A rule that was added. */
export interface Fault {
  /** What replies of touched requests have in `x-barker-fault`. */
  readonly id: string;
  /** How many requests it has touched. */
  hits(): Promise<number>;
  remove(): Promise<void>;
}

/** Which requests are touched, how often, and what happens to them. Without `match`, all are. */
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
  /** `after` performs the call and then loses the reply: what clients that try again do twice. */
  readonly when?: 'before' | 'after';
  /** So many requests are left alone first. */
  readonly skip?: number;
  /** Of the others, each so many-th is touched. */
  readonly every?: number;
  /** So many are touched in all. */
  readonly times?: number;
  readonly probability?: number;
  /** Makes what is random repeatable. */
  readonly seed?: number;
  /** The rule ends after so many seconds. */
  readonly for_s?: number;
  readonly do: FaultActions;
}

/** What happens. `docs/development.md` describes each. */
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

/** A rule as the server shows it. */
export interface ShownFault extends FaultRule {
  readonly id: string;
  readonly hits: number;
}

/** Makes the faults of a server. */
export function faultsOf(dev: Barker['dev']): Faults {
  return {
    async add(rule) {
      const { id } = await dev<{ id: string }>('POST', '/_dev/faults', rule);
      const path = `/_dev/faults/${encodeURIComponent(id)}` as const;
      return {
        id,
        hits: async () => (await dev<ShownFault>('GET', path)).hits,
        remove: async () => void (await dev('DELETE', path)),
      };
    },
    list: async () => (await dev<{ faults: ShownFault[] }>('GET', '/_dev/faults')).faults,
    clear: async () => void (await dev('DELETE', '/_dev/faults')),
  };
}

/** The last requests that the server has received and sent. Secrets in them are not shown. */
export interface Requests {
  /** Those that match, newest first. @throws Refused */
  list(match?: RequestMatch, options?: { readonly after?: string; readonly limit?: number }): Promise<SeenRequest[]>;
  /** All about one. @throws Refused */
  get(id: string): Promise<SeenRequest>;
  /**
   * Waits until as many requests as `count` have matched, of those after `since` (the id of a request); resolves with them,
   * oldest first. @throws Refused TIMED_OUT, with what came instead
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<SeenRequest[]>;
  /** Forgets all. */
  clear(): Promise<void>;
}

/** Which requests are meant: those that have everything that it names. */
export interface RequestMatch {
  /** `out` are those that the server sends, to webhooks. */
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

/** How long and for how much is waited. */
export interface WaitOptions {
  readonly count?: number;
  readonly since?: string;
  /** In milliseconds; 10,000 by default, at most 60,000. */
  readonly timeout_ms?: number;
}

/** A request that was received or sent. What is named here is always there; `GET /_dev/requests/:id` has more. */
export interface SeenRequest {
  readonly id: string;
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly kind: string;
  readonly method: string;
  /** Path and query; of requests that were sent, the URL. */
  readonly target: string;
  /** Null while there is no reply. */
  readonly status: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: the rest has many shapes, and tests look into it
  readonly [member: string]: any;
}

/** Makes the requests of a server. */
export function requestsOf(dev: Barker['dev']): Requests {
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

/** A snapshot as the server shows it. */
type Shown = Pick<Snapshot, 'name' | 'at' | 'clock' | 'bytes'>;

/** Takes a snapshot. @throws Refused */
export async function takeSnapshot(dev: Barker['dev'], name: string): Promise<Snapshot> {
  const path = `/_dev/snapshots/${encodeURIComponent(name)}` as const;
  const shown = await dev<Shown>('PUT', path);
  return {
    ...shown,
    restore: async () => void (await dev('POST', `${path}/restore`)),
    remove: async () => void (await dev('DELETE', path)),
  };
}

interface RefusalBody {
  readonly error?: Record<'code' | 'message' | 'field', string | undefined>;
  /** Of a call that has waited in vain. */
  readonly near_misses?: readonly (SeenRequest & { readonly differs: readonly string[] })[];
}

/** A refused call below `/_dev`. */
export class Refused extends Error {
  readonly status: number;
  /** Such as `CALL_UNKNOWN`. */
  readonly code: string;
  /** The member of the body that is at fault. */
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

/** The names that a request differs in, each with its value unless the line of the request shows it. */
function differencesOf({ differs, ...seen }: SeenRequest & { readonly differs: readonly string[] }): string[] {
  return differs.map((name) =>
    ['method', 'path', 'status'].includes(name) ? name : `${name} (${seen[name] ?? 'none'})`,
  );
}

/** Makes calls below `/_dev` of a server. The token is needed when it can be reached from other machines. */
export function surfaceOf(send: Send, url: string, token: string): Barker['dev'] {
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
