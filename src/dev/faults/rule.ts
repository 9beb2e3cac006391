import { createHash } from 'node:crypto';

/** The requests of a rule: those with everything that it names. */
export interface FaultMatch {
  /** The id of an operation, with `*`, such as `campaigns.*`. */
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  /** Without the query; `*` stands for anything but slashes. */
  readonly path?: string | undefined;
  readonly account?: string | undefined;
  /** The id of an application. */
  readonly application?: string | undefined;
  /** Parameters of query or form, with `*`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** How long a request is held up, in milliseconds. */
export type Delay =
  | { readonly ms: number }
  | { readonly uniform: readonly [from_ms: number, to_ms: number] }
  | { readonly lognormal: { readonly median_ms: number; readonly sigma: number } };

/** A reply in place of the real one, in the form of errors that the caller expects. */
export interface FaultReply {
  readonly status: number;
  readonly code?: string | number | undefined;
  readonly message?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry_after_s?: number | undefined;
}

/** A fault of a message to a webhook. */
export interface WebhookFault {
  /** The apparent answer of the receiver. */
  readonly status?: number | undefined;
  /** The apparent failure. */
  readonly failure?: 'timeout' | 'reset' | undefined;
}

/** The actions of a rule. Of those that end a request the first in this order is done; the others combine. */
export interface FaultActions {
  readonly delay?: Delay | undefined;
  /** Ends the connection with a reset, before the head of the reply. */
  readonly reset?: true | undefined;
  readonly reply?: FaultReply | undefined;
  readonly rate_limited?: { readonly retry_after_s: number } | undefined;
  /** Ends the connection after so many bytes of the body. */
  readonly close?: { readonly after_bytes: number } | undefined;
  /** Sends only a part of the body, as if it were the whole. */
  readonly truncate?: { readonly fraction: number } | undefined;
  /** Sends a body that is not JSON. */
  readonly malformed?: true | undefined;
  /** Reports that only so many records of an upload of people were accepted. */
  readonly partial_success?: { readonly n: number } | undefined;
  /** Sends the body in pieces. */
  readonly dribble?: { readonly chunks: number; readonly over_ms: number } | undefined;
  /** A stream sends nothing more after so many events, heartbeats included. */
  readonly stall?: { readonly after_events: number } | undefined;
  /** A stream breaks off within the event after so many. */
  readonly drop_mid_object?: { readonly after_events: number } | undefined;
  /** A stream sends no heartbeats. */
  readonly no_heartbeat?: true | undefined;
  readonly webhook?: WebhookFault | undefined;
  /** Runs of a kind of job fail. */
  readonly job?: { readonly kind: string; readonly fail: number } | undefined;
}

/** A rule: actions, the requests that they apply to, and how often. */
export interface FaultRule {
  readonly id: string;
  readonly match: FaultMatch;
  /** Whether a call is performed before its reply is lost. */
  readonly when: 'before' | 'after';
  /** So many matching requests are left alone first. */
  readonly skip: number;
  /** Of the others, each so many-th is touched. */
  readonly every: number;
  /** So many are touched in all; undefined for no limit. */
  readonly times: number | undefined;
  readonly probability: number;
  /** Makes random choices repeatable. */
  readonly seed: number;
  /** The rule ends after this many seconds of the machine's clock. */
  readonly for_s: number | undefined;
  readonly do: FaultActions;
}

/** A number from 0 to below 1 that only depends on the rule, the number of the request and what it is for. */
export function draw({ seed, id }: Pick<FaultRule, 'seed' | 'id'>, hit: number, purpose: string): number {
  const digest = createHash('sha256').update(`${seed}/${id}/${hit}/${purpose}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** The longest delay of a request. */
export const DELAY_MAX_MS = 600_000;

/** How long a request is held up, in milliseconds. */
export function delayOf(rule: Pick<FaultRule, 'seed' | 'id'>, hit: number, delay: Delay): number {
  if ('ms' in delay) return delay.ms;
  if ('uniform' in delay) {
    const [from, to] = delay.uniform;
    return from + draw(rule, hit, 'delay') * (to - from);
  }
  const { median_ms, sigma } = delay.lognormal;
  // Box and Muller's transform; the first draw is never 0.
  const radius = Math.sqrt(-2 * Math.log(1 - draw(rule, hit, 'delay')));
  const normal = radius * Math.cos(2 * Math.PI * draw(rule, hit, 'angle'));
  return Math.min(DELAY_MAX_MS, median_ms * Math.exp(sigma * normal));
}
