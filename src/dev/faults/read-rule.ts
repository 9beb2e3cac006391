import type { ApplicationIdOf } from '../requests/matching.ts';
import { DevError, membersOf, numberIn, operationIn, textIn, textsIn, wordIn } from '../surface/call.ts';
import {
  DELAY_MAX_MS,
  type Delay,
  type FaultActions,
  type FaultMatch,
  type FaultReply,
  type FaultRule,
  type WebhookFault,
} from './rule.ts';

/** Names that rules may use. */
export interface KnownNames {
  /** Ids of operations. */
  readonly operations: readonly string[];
  readonly jobKinds: readonly string[];
  readonly applicationIdOf: ApplicationIdOf;
}

/** The members of a rule. */
export const RULE = ['id', 'match', 'when', 'skip', 'every', 'times', 'probability', 'seed', 'for_s', 'do'] as const;
const MATCH = ['operation', 'method', 'path', 'account', 'application', 'query'] as const;
const ACTIONS = [
  ...(['delay', 'reset', 'reply', 'rate_limited', 'close', 'truncate', 'malformed', 'partial_success'] as const),
  ...(['dribble', 'stall', 'drop_mid_object', 'no_heartbeat', 'webhook', 'job'] as const),
] as const;

const COUNT = { min: 0, max: 1_000_000_000 };
const POSITIVE = { min: 1, max: 1_000_000_000 };
const FRACTION = { min: 0, max: 1, isFraction: true };
const STATUS = { min: 200, max: 599 };
const DELAY_MS = { min: 0, max: DELAY_MAX_MS, isFraction: true };
const RETRY_AFTER_S = { min: 0, max: 86_400 };

/** Reads a rule. @throws DevError naming the member that is wrong */
export async function readRule(input: unknown, nextId: () => string, known: KnownNames): Promise<FaultRule> {
  const members = membersOf(input, RULE, 'rule');
  const id = textIn(members.id, 'id');
  if (id !== undefined && !/^[\w.-]{1,40}$/.test(id)) throw invalid('id', 'up to 40 letters, digits, - _ or .');
  const rule = {
    match: await readFaultMatch(members.match ?? {}, known),
    when: wordIn(members.when, 'when', ['before', 'after']) ?? 'before',
    skip: numberIn(members.skip, 'skip', COUNT) ?? 0,
    every: numberIn(members.every, 'every', POSITIVE) ?? 1,
    times: numberIn(members.times, 'times', POSITIVE),
    probability: numberIn(members.probability, 'probability', FRACTION) ?? 1,
    seed: numberIn(members.seed, 'seed', COUNT) ?? 0,
    for_s: numberIn(members.for_s, 'for_s', POSITIVE),
    do: readActions(members.do, known),
  };
  return { id: id ?? nextId(), ...rule };
}

async function readFaultMatch(input: unknown, known: KnownNames): Promise<FaultMatch> {
  const members = membersOf(input, MATCH, 'match');
  const application = textIn(members.application, 'application');
  return {
    operation: operationIn(members.operation, known.operations),
    method: textIn(members.method, 'method')?.toUpperCase(),
    path: textIn(members.path, 'path'),
    account: textIn(members.account, 'account'),
    application: application && (await known.applicationIdOf(application)),
    query: members.query === undefined ? undefined : textsIn(members.query, 'query'),
  };
}

/** Reads what a rule does. @throws DevError */
export function readActions(input: unknown, known: Pick<KnownNames, 'jobKinds'>): FaultActions {
  const members = membersOf(input, ACTIONS, 'do');
  const actions: FaultActions = {
    delay: optional(members.delay, delayIn),
    reset: flagIn(members.reset, 'reset'),
    reply: optional(members.reply, replyIn),
    rate_limited: optional(members.rate_limited, rateLimitedIn),
    close: optional(members.close, (value) => ({
      after_bytes: numberIn(membersOf(value, ['after_bytes'], 'close').after_bytes, 'after_bytes', COUNT) ?? 0,
    })),
    truncate: optional(members.truncate, (value) => ({
      fraction: numberIn(membersOf(value, ['fraction'], 'truncate').fraction, 'fraction', FRACTION) ?? 0.5,
    })),
    malformed: flagIn(members.malformed, 'malformed'),
    partial_success: optional(members.partial_success, (value) => ({
      n: needed(numberIn(membersOf(value, ['n'], 'partial_success').n, 'n', COUNT), 'n'),
    })),
    dribble: optional(members.dribble, dribbleIn),
    stall: optional(members.stall, (value) => afterEventsIn(value, 'stall')),
    drop_mid_object: optional(members.drop_mid_object, (value) => afterEventsIn(value, 'drop_mid_object')),
    no_heartbeat: flagIn(members.no_heartbeat, 'no_heartbeat'),
    webhook: optional(members.webhook, webhookIn),
    job: optional(members.job, (value) => jobIn(value, known.jobKinds)),
  };
  const named = ACTIONS.filter((name) => actions[name] !== undefined);
  if (named.length === 0) {
    throw new DevError(400, 'MEMBER_MISSING', `do names at least one of ${ACTIONS.join(', ')}`, 'do');
  }
  for (const alone of ['webhook', 'job'] as const) {
    const other = named.find((name) => name !== alone && (name !== 'delay' || alone === 'job'));
    if (actions[alone] && other) {
      throw new DevError(400, 'MEMBER_INVALID', `${alone} does not go together with ${other}`, other);
    }
  }
  return actions;
}

function delayIn(value: unknown): Delay {
  if (typeof value === 'number') return { ms: needed(numberIn(value, 'delay', DELAY_MS), 'delay') };
  const { ms, uniform, lognormal } = membersOf(value, ['ms', 'uniform', 'lognormal'], 'delay');
  if (ms !== undefined) return { ms: needed(numberIn(ms, 'ms', DELAY_MS), 'ms') };
  if (uniform !== undefined) {
    if (!Array.isArray(uniform) || uniform.length !== 2) throw invalid('uniform', 'two numbers of milliseconds');
    const [from, to] = uniform.map((each) => needed(numberIn(each, 'uniform', DELAY_MS), 'uniform'));
    if (from! > to!) throw invalid('uniform', 'two numbers of milliseconds, the smaller one first');
    return { uniform: [from!, to!] };
  }
  const { median, sigma } = membersOf(lognormal, ['median', 'sigma'], 'lognormal');
  return {
    lognormal: {
      median_ms: needed(numberIn(median, 'median', DELAY_MS), 'median'),
      sigma: needed(numberIn(sigma, 'sigma', { min: 0, max: 10, isFraction: true }), 'sigma'),
    },
  };
}

function replyIn(value: unknown): FaultReply {
  const members = membersOf(value, ['status', 'code', 'message', 'headers', 'retry_after_s'], 'reply');
  const { code } = members;
  const headers = textsIn(members.headers ?? {}, 'headers');
  for (const [name, text] of Object.entries(headers)) {
    if (!/^[\w-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(text)) throw invalid('headers', 'names and ASCII texts');
    if (/^(?:content-length|transfer-encoding|connection)$/i.test(name)) {
      throw new DevError(400, 'MEMBER_INVALID', `headers cannot set ${name}`, 'headers');
    }
  }
  return {
    status: needed(numberIn(members.status, 'status', STATUS), 'status'),
    code: typeof code === 'number' ? numberIn(code, 'code', COUNT) : textIn(code, 'code'),
    message: textIn(members.message, 'message'),
    headers,
    retry_after_s: numberIn(members.retry_after_s, 'retry_after_s', RETRY_AFTER_S),
  };
}

const RATE_WAIT_S = 60;

function rateLimitedIn(value: unknown): FaultActions['rate_limited'] {
  if (value === true) return { retry_after_s: RATE_WAIT_S };
  const { retry_after_s } = membersOf(value, ['retry_after_s'], 'rate_limited');
  return { retry_after_s: numberIn(retry_after_s, 'retry_after_s', RETRY_AFTER_S) ?? RATE_WAIT_S };
}

function dribbleIn(value: unknown): FaultActions['dribble'] {
  const { chunks, over_ms } = membersOf(value, ['chunks', 'over_ms'], 'dribble');
  return {
    chunks: numberIn(chunks, 'chunks', { min: 2, max: 1000 }) ?? 10,
    over_ms: needed(numberIn(over_ms, 'over_ms', DELAY_MS), 'over_ms'),
  };
}

function afterEventsIn(value: unknown, name: string): { readonly after_events: number } {
  if (value === true) return { after_events: 0 };
  const { after_events } = membersOf(value, ['after_events'], name);
  return { after_events: numberIn(after_events, 'after_events', COUNT) ?? 0 };
}

function webhookIn(value: unknown): WebhookFault {
  if (value === 'timeout' || value === 'reset') return { failure: value };
  const members = membersOf(value, ['status', 'timeout', 'reset'], 'webhook');
  if (flagIn(members.timeout, 'timeout')) return { failure: 'timeout' };
  if (flagIn(members.reset, 'reset')) return { failure: 'reset' };
  return { status: needed(numberIn(members.status, 'status', STATUS), 'status') };
}

function jobIn(value: unknown, kinds: readonly string[]): FaultActions['job'] {
  const { kind, fail } = membersOf(value, ['kind', 'fail'], 'job');
  return {
    kind: needed(wordIn(kind, 'kind', kinds), 'kind'),
    fail: numberIn(fail, 'fail', POSITIVE) ?? 1,
  };
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function needed<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new DevError(400, 'MEMBER_MISSING', `${name} is missing`, name);
}

function flagIn(value: unknown, name: string): true | undefined {
  if (value === undefined || value === true) return value;
  throw invalid(name, 'true, or left out');
}

function invalid(name: string, expected: string): DevError {
  return new DevError(400, 'MEMBER_INVALID', `${name} must be ${expected}`, name);
}
