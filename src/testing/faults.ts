import type { Barker } from './types.ts';

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
