import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { matchesGlob, type RequestMatch, unmet } from '../requests/matching.ts';
import { DevError } from '../surface/call.ts';

/** The requests that a rule applies to: those that match every member. */
export interface FaultMatch extends Pick<RequestMatch, 'operation' | 'method' | 'path' | 'account' | 'application'> {
  /** Parameters of query or form, with `*`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** A delay, fixed or drawn from a distribution, in milliseconds. */
export type Delay =
  | { readonly ms: number }
  | { readonly uniform: readonly [from_ms: number, to_ms: number] }
  | { readonly lognormal: { readonly median_ms: number; readonly sigma: number } };

/** An error reply in place of the real one, in the format that the caller expects. */
export interface FaultReply {
  readonly status: number;
  readonly code?: string | number | undefined;
  readonly message?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry_after_s?: number | undefined;
}

/** A fault of a message to a webhook. */
export interface WebhookFault {
  /** The status that the receiver appears to reply with. */
  readonly status?: number | undefined;
  /** The apparent failure. */
  readonly failure?: 'timeout' | 'reset' | undefined;
}

/** The actions of a rule. Of those that end a request, only the first in this order applies; the others combine. */
export interface FaultActions {
  readonly delay?: Delay | undefined;
  /** Ends the connection with a reset, before the head of the reply. */
  readonly reset?: true | undefined;
  readonly reply?: FaultReply | undefined;
  readonly rate_limited?: { readonly retry_after_s: number } | undefined;
  /** Closes the connection after this many bytes of the body. */
  readonly close?: { readonly after_bytes: number } | undefined;
  /** Sends only this part of the body, with a matching Content-Length. */
  readonly truncate?: { readonly fraction: number } | undefined;
  /** Sends a body that is not JSON. */
  readonly malformed?: true | undefined;
  /** Reports that only the first `n` records of an upload of people were accepted. */
  readonly partial_success?: { readonly n: number } | undefined;
  /** Sends the body in chunks over a time. */
  readonly dribble?: { readonly chunks: number; readonly over_ms: number } | undefined;
  /** A stream sends nothing after this many events, not even heartbeats. */
  readonly stall?: { readonly after_events: number } | undefined;
  /** A stream breaks off within the event after this many. */
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
  /** `after` performs the call and then drops the reply. */
  readonly when: 'before' | 'after';
  /** Skips this many matching requests first. */
  readonly skip: number;
  /** Then affects every nth. */
  readonly every: number;
  /** Affects at most this many; undefined for no limit. */
  readonly times: number | undefined;
  readonly probability: number;
  /** Seed for the probability and random delays. */
  readonly seed: number;
  /** The rule expires after this many seconds of real time. */
  readonly for_s: number | undefined;
  readonly do: FaultActions;
}

/** Returns a pseudorandom number in [0, 1) that depends only on the rule, the number of the request and the purpose. */
export function draw({ seed, id }: Pick<FaultRule, 'seed' | 'id'>, hit: number, purpose: string): number {
  const digest = createHash('sha256').update(`${seed}/${id}/${hit}/${purpose}`).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** The longest delay of a request. */
export const DELAY_MAX_MS = 600_000;

/** Returns the delay of a request in milliseconds. */
export function delayOf(rule: Pick<FaultRule, 'seed' | 'id'>, hit: number, delay: Delay): number {
  if ('ms' in delay) return delay.ms;
  if ('uniform' in delay) {
    const [from, to] = delay.uniform;
    return from + draw(rule, hit, 'delay') * (to - from);
  }
  const { median_ms, sigma } = delay.lognormal;
  // Box-Muller transform; the argument of the logarithm is never 0.
  const radius = Math.sqrt(-2 * Math.log(1 - draw(rule, hit, 'delay')));
  const normal = radius * Math.cos(2 * Math.PI * draw(rule, hit, 'angle'));
  return Math.min(DELAY_MAX_MS, median_ms * Math.exp(sigma * normal));
}

/** A call, a stream, a message to a webhook, or a run of a job. */
type FaultTarget = 'call' | 'stream' | 'webhook' | 'job';

/** The properties of a request or job that rules match. */
export interface Facts {
  readonly target: FaultTarget;
  readonly operation?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly account?: string | undefined;
  readonly application?: string | undefined;
  /** The kind of a job. */
  readonly jobKind?: string;
  /** The values of a parameter. */
  readonly valuesOf: (parameter: string) => readonly string[];
}

/** A rule that affects a request. */
export interface Hit {
  readonly rule: FaultRule;
  /** The number of the request among those that match the rule, from 1. */
  readonly number: number;
}

interface UsedRule {
  readonly rule: FaultRule;
  readonly until_ms: number;
  seen: number;
  hits: number;
  lastHit: string | undefined;
}

/** A rule with its counts. */
export interface ListedRule extends FaultRule {
  /** The number of affected requests, and how many more will be; null without a limit. */
  readonly hits: number;
  readonly left: number | null;
  /** UTC text with milliseconds, by the clock of the machine; null before the first. */
  readonly last_hit: string | null;
}

/** The rules, and how often each has been used. */
export class FaultRules {
  #rules: UsedRule[] = [];
  #lastId = 0;
  readonly #clock: Clock;

  /** @param clock that of the machine. */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  nextId(): string {
    do this.#lastId += 1;
    while (this.#rules.some(({ rule }) => rule.id === String(this.#lastId)));
    return String(this.#lastId);
  }

  /** @throws DevError if its id is in use */
  add(rule: FaultRule): void {
    if (this.#live().some((each) => each.rule.id === rule.id)) throw taken(rule.id);
    this.#rules.push(this.#unused(rule));
  }

  replace(list: readonly FaultRule[]): void {
    const repeated = list.find(({ id }, at) => list.findIndex((each) => each.id === id) < at);
    if (repeated) throw taken(repeated.id);
    this.#rules = list.map((rule) => this.#unused(rule));
    // The same rules then have the same ids again, and draw the same numbers.
    this.#lastId = 0;
  }

  /** @throws DevError if it does not exist */
  remove(id: string): void {
    const found = this.#find(id);
    this.#rules = this.#rules.filter((each) => each !== found);
  }

  list(): readonly ListedRule[] {
    return this.#live().map(listed);
  }

  /** @throws DevError if it does not exist */
  find(id: string): ListedRule {
    return listed(this.#find(id));
  }

  /** Returns the rules that affect a request, after counting it for each rule that it matches. */
  touch(facts: Facts): Hit[] {
    const hits: Hit[] = [];
    for (const each of this.#live()) {
      const { rule } = each;
      if (!isMeant(facts, rule)) continue;
      each.seen += 1;
      if (!isTurn(each)) continue;
      each.hits += 1;
      each.lastHit = formatMillisecond(this.#clock.now());
      hits.push({ rule, number: each.seen });
    }
    return hits;
  }

  #unused(rule: FaultRule): UsedRule {
    const until_ms = rule.for_s === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + rule.for_s * 1000;
    return { rule, seen: 0, hits: 0, lastHit: undefined, until_ms };
  }

  #live(): readonly UsedRule[] {
    const now_ms = this.#clock.now();
    this.#rules = this.#rules.filter(({ until_ms }) => until_ms > now_ms);
    return this.#rules;
  }

  #find(id: string): UsedRule {
    const found = this.#live().find(({ rule }) => rule.id === id);
    if (found) return found;
    throw new DevError(404, 'FAULT_UNKNOWN', `there is no fault ${id}, or no longer`, 'id');
  }
}

function taken(id: string): DevError {
  return new DevError(409, 'FAULT_EXISTS', `there already is a fault ${id}`, 'id');
}

function listed({ rule, hits, lastHit }: UsedRule): ListedRule {
  const limit = timesOf(rule);
  return { ...rule, hits, left: limit === undefined ? null : limit - hits, last_hit: lastHit ?? null };
}

function timesOf({ times, do: { job } }: FaultRule): number | undefined {
  return job ? Math.min(job.fail, times ?? job.fail) : times;
}

function isTurn({ rule, seen, hits }: UsedRule): boolean {
  const limit = timesOf(rule);
  if (limit !== undefined && hits >= limit) return false;
  const after = seen - rule.skip;
  if (after <= 0 || after % rule.every !== 0) return false;
  return rule.probability === 1 || draw(rule, seen, 'hit') < rule.probability;
}

function isMeant(facts: Facts, { match, do: actions }: FaultRule): boolean {
  if (!appliesTo(facts, actions) || unmet(facts, match).length > 0) return false;
  return Object.entries(match.query ?? {}).every(([name, wanted]) =>
    facts.valuesOf(name).some((value) => matchesGlob(value, wanted)),
  );
}

/** Whether the actions of a rule apply to the kind of target. */
function appliesTo({ target, jobKind, operation = '' }: Facts, actions: FaultActions): boolean {
  const { job, webhook, stall, drop_mid_object, no_heartbeat, partial_success } = actions;
  if (job) return target === 'job' && job.kind === jobKind;
  if (webhook) return target === 'webhook';
  if (stall || drop_mid_object || no_heartbeat) return target === 'stream';
  if (partial_success) return target === 'call' && operation.endsWith('.users');
  return target === 'call' || target === 'stream';
}
