import { type Clock, systemClock } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { matchesGlob } from '../requests/matching.ts';
import { DevError } from '../surface/call.ts';
import { draw, type FaultActions, type FaultMatch, type FaultRule } from './rule.ts';

/** What a fault can apply to: a call, a stream, a message to a webhook, or a run of a job. */
export type FaultTarget = 'call' | 'stream' | 'webhook' | 'job';

/** The facts about a request that rules match. */
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

/** A rule that touches a request. */
export interface Hit {
  readonly rule: FaultRule;
  /** The number of the request among those that match the rule, from 1. */
  readonly number: number;
}

interface Kept {
  readonly rule: FaultRule;
  readonly until_ms: number;
  seen: number;
  hits: number;
  lastHit: string | undefined;
}

/** The rules, and how often each has been used. */
export interface FaultRules {
  readonly isEmpty: () => boolean;
  nextId(): string;
  /** @throws DevError when there is one with its id */
  add(rule: FaultRule): void;
  replace(rules: readonly FaultRule[]): void;
  /** @throws DevError */
  remove(id: string): void;
  list(): readonly ListedRule[];
  /** @throws DevError */
  find(id: string): ListedRule;
  /** The rules that touch a request, which counts in all that match. */
  touch(facts: Facts): Hit[];
}

/** A rule with its counts. */
export interface ListedRule extends FaultRule {
  /** The number of requests that it has applied to, and that are left; null without a limit. */
  readonly hits: number;
  readonly left: number | null;
  /** UTC text with milliseconds, by the clock of the machine; null before the first. */
  readonly last_hit: string | null;
}

/** @param clock that of the machine. */
export function faultRules(clock: Clock = systemClock): FaultRules {
  let rules: Kept[] = [];
  let lastId = 0;

  const kept = (rule: FaultRule): Kept => ({
    rule,
    seen: 0,
    hits: 0,
    lastHit: undefined,
    until_ms: rule.for_s === undefined ? Number.POSITIVE_INFINITY : clock.now() + rule.for_s * 1000,
  });
  const live = (): Kept[] => {
    const now_ms = clock.now();
    rules = rules.filter(({ until_ms }) => until_ms > now_ms);
    return rules;
  };
  const unknown = (id: string) => new DevError(404, 'FAULT_UNKNOWN', `there is no fault ${id}, or no longer`, 'id');

  return {
    isEmpty: () => rules.length === 0,
    nextId() {
      do lastId += 1;
      while (rules.some(({ rule }) => rule.id === String(lastId)));
      return String(lastId);
    },
    add(rule) {
      if (live().some((each) => each.rule.id === rule.id)) throw taken(rule.id);
      rules.push(kept(rule));
    },
    replace(list) {
      const repeated = list.find(({ id }, at) => list.findIndex((each) => each.id === id) < at);
      if (repeated) throw taken(repeated.id);
      rules = list.map(kept);
      // The same rules then have the same ids again, and draw the same.
      lastId = 0;
    },
    remove(id) {
      if (!live().some(({ rule }) => rule.id === id)) throw unknown(id);
      rules = rules.filter(({ rule }) => rule.id !== id);
    },
    list: () => live().map(listed),
    find(id) {
      const found = live().find(({ rule }) => rule.id === id);
      if (found) return listed(found);
      throw unknown(id);
    },
    touch(facts) {
      const touching: Hit[] = [];
      for (const each of live()) {
        const { rule } = each;
        if (!isMeant(facts, rule)) continue;
        each.seen += 1;
        if (!isTurn(each)) continue;
        each.hits += 1;
        each.lastHit = formatMillisecond(clock.now());
        touching.push({ rule, number: each.seen });
      }
      return touching;
    },
  };
}

function taken(id: string): DevError {
  return new DevError(409, 'FAULT_EXISTS', `there already is a fault ${id}`, 'id');
}

function listed({ rule, hits, lastHit }: Kept): ListedRule {
  const most = timesOf(rule);
  return { ...rule, hits, left: most === undefined ? null : most - hits, last_hit: lastHit ?? null };
}

function timesOf({ times, do: { job } }: FaultRule): number | undefined {
  return job ? Math.min(job.fail, times ?? job.fail) : times;
}

function isTurn({ rule, seen, hits }: Kept): boolean {
  const most = timesOf(rule);
  if (most !== undefined && hits >= most) return false;
  const after = seen - rule.skip;
  if (after <= 0 || after % rule.every !== 0) return false;
  return rule.probability === 1 || draw(rule, seen, 'hit') < rule.probability;
}

function isMeant(facts: Facts, { match, do: actions }: FaultRule): boolean {
  if (!appliesTo(facts, actions)) return false;
  const fits: Readonly<Record<Exclude<keyof FaultMatch, 'query'>, (wanted: string) => boolean>> = {
    operation: (wanted) => facts.operation !== undefined && matchesGlob(facts.operation, wanted),
    method: (wanted) => facts.method === wanted,
    path: (wanted) => matchesGlob(facts.path, wanted),
    account: (wanted) => facts.account === wanted,
    application: (wanted) => facts.application === wanted,
  };
  for (const name of Object.keys(fits) as (keyof typeof fits)[]) {
    const wanted = match[name];
    if (wanted !== undefined && !fits[name](wanted)) return false;
  }
  return Object.entries(match.query ?? {}).every(([name, wanted]) =>
    facts.valuesOf(name).some((value) => matchesGlob(value, wanted)),
  );
}

/** Whether the actions of a rule apply to a target. */
function appliesTo({ target, jobKind, operation = '' }: Facts, actions: FaultActions): boolean {
  const { job, webhook, stall, drop_mid_object, no_heartbeat, partial_success } = actions;
  if (job) return target === 'job' && job.kind === jobKind;
  if (webhook) return target === 'webhook';
  if (stall || drop_mid_object || no_heartbeat) return target === 'stream';
  if (partial_success) return target === 'call' && operation.endsWith('.users');
  return target === 'call' || target === 'stream';
}
