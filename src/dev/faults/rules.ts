import { type Clock, systemClock } from '../../base/clock.ts';
import { formatMillisecond } from '../../base/instants.ts';
import { matchesGlob } from '../requests/glob.ts';
import { DevError } from '../surface/call.ts';
import { draw } from './draws.ts';
import type { FaultActions, FaultMatch, FaultRule } from './rule.ts';

/** What can be touched: a call, a stream, a message to a webhook, or a run of a job. */
export type Place = 'call' | 'stream' | 'webhook' | 'job';

/** What a request is, as far as rules ask. */
export interface Facts {
  readonly place: Place;
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
  list(): readonly ShownRule[];
  /** @throws DevError */
  find(id: string): ShownRule;
  /** The rules that touch a request, which counts in all that match. */
  touch(facts: Facts): Hit[];
}

/** A rule with its counts. */
export interface ShownRule extends FaultRule {
  /** How many requests it has touched, and how many it still will; null without a limit. */
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
    ...{ rule, seen: 0, hits: 0, lastHit: undefined },
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
    list: () => live().map(shown),
    find(id) {
      const found = live().find(({ rule }) => rule.id === id);
      if (found) return shown(found);
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

function shown({ rule, hits, lastHit }: Kept): ShownRule {
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
  if (!isOfPlace(facts, actions)) return false;
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

/** Whether a rule can do anything there. */
function isOfPlace({ place, jobKind, operation = '' }: Facts, actions: FaultActions): boolean {
  const { job, webhook, stall, drop_mid_object, no_heartbeat, partial_success } = actions;
  if (job) return place === 'job' && job.kind === jobKind;
  if (webhook) return place === 'webhook';
  if (stall || drop_mid_object || no_heartbeat) return place === 'stream';
  if (partial_success) return place === 'call' && operation.endsWith('.users');
  return place === 'call' || place === 'stream';
}
