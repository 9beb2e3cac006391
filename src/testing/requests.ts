import type { Barker } from './types.ts';

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
