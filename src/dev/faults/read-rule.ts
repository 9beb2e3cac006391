import { type KnownNames as MatchNames, readMatch } from '../requests/matching.ts';
import {
  type DevError,
  invalidMember,
  membersOf,
  missingMember,
  type NumberRange,
  numberIn,
  textIn,
  textsIn,
  wordIn,
} from '../surface/call.ts';
import {
  DELAY_MAX_MS,
  type Delay,
  type FaultActions,
  type FaultMatch,
  type FaultReply,
  type FaultRule,
  type WebhookFault,
} from './rules.ts';

/** The names that rules may refer to. */
export interface KnownNames extends MatchNames {
  readonly jobKinds: readonly string[];
}

/** The members of a rule. */
export const RULE = ['id', 'match', 'when', 'skip', 'every', 'times', 'probability', 'seed', 'for_s', 'do'] as const;
const MATCH = ['operation', 'method', 'path', 'account', 'application', 'query'] as const;
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
  const { query, ...others } = membersOf(input, MATCH, 'match');
  return { ...(await readMatch(others, known)), query: query === undefined ? undefined : textsIn(query, 'query') };
}

const RATE_WAIT_S = 60;

/** The reader of each action. */
const READERS: {
  readonly [Name in keyof FaultActions]-?: (
    value: unknown,
    name: string,
    jobKinds: readonly string[],
  ) => FaultActions[Name];
} = {
  delay: delayIn,
  reset: flagIn,
  reply: replyIn,
  rate_limited: (value) =>
    numberMember(value === true ? {} : value, 'rate_limited', 'retry_after_s', RETRY_AFTER_S, RATE_WAIT_S),
  close: (value, name) => numberMember(value, name, 'after_bytes', COUNT, 0),
  truncate: (value, name) => numberMember(value, name, 'fraction', FRACTION, 0.5),
  malformed: flagIn,
  partial_success: (value, name) => numberMember(value, name, 'n', COUNT),
  dribble: dribbleIn,
  stall: afterEventsIn,
  drop_mid_object: afterEventsIn,
  no_heartbeat: flagIn,
  webhook: webhookIn,
  job: (value, name, jobKinds) => {
    const { kind, fail } = membersOf(value, ['kind', 'fail'], name);
    return { kind: needed(wordIn(kind, 'kind', jobKinds), 'kind'), fail: numberIn(fail, 'fail', POSITIVE) ?? 1 };
  },
};
const ACTIONS = Object.keys(READERS) as (keyof FaultActions)[];

/** Reads the actions of a rule. @throws DevError */
export function readActions(input: unknown, { jobKinds }: Pick<KnownNames, 'jobKinds'>): FaultActions {
  const members = membersOf(input, ACTIONS, 'do');
  const named = ACTIONS.filter((name) => members[name] !== undefined);
  const actions: FaultActions = Object.fromEntries(
    named.map((name) => [name, READERS[name](members[name], name, jobKinds)]),
  );
  if (named.length === 0) throw missingMember(`do names at least one of ${ACTIONS.join(', ')}`, 'do');
  for (const alone of ['webhook', 'job'] as const) {
    const other = named.find((name) => name !== alone && (name !== 'delay' || alone === 'job'));
    if (actions[alone] && other) throw invalidMember(`${alone} does not go together with ${other}`, other);
  }
  return actions;
}

/** Reads an object with one number. */
function numberMember<Name extends string>(
  value: unknown,
  of: string,
  name: Name,
  range: NumberRange,
  fallback?: number,
): Readonly<Record<Name, number>> {
  const found = numberIn(membersOf(value, [name], of)[name], name, range) ?? fallback;
  return { [name]: needed(found, name) } as Record<Name, number>;
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
      throw invalidMember(`headers cannot set ${name}`, 'headers');
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

function dribbleIn(value: unknown): FaultActions['dribble'] {
  const { chunks, over_ms } = membersOf(value, ['chunks', 'over_ms'], 'dribble');
  return {
    chunks: numberIn(chunks, 'chunks', { min: 2, max: 1000 }) ?? 10,
    over_ms: needed(numberIn(over_ms, 'over_ms', DELAY_MS), 'over_ms'),
  };
}

function afterEventsIn(value: unknown, name: string): { readonly after_events: number } {
  return numberMember(value === true ? {} : value, name, 'after_events', COUNT, 0);
}

function webhookIn(value: unknown): WebhookFault {
  if (value === 'timeout' || value === 'reset') return { failure: value };
  const members = membersOf(value, ['status', 'timeout', 'reset'], 'webhook');
  if (flagIn(members.timeout, 'timeout')) return { failure: 'timeout' };
  if (flagIn(members.reset, 'reset')) return { failure: 'reset' };
  return { status: needed(numberIn(members.status, 'status', STATUS), 'status') };
}

function needed<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw missingMember(`${name} is missing`, name);
}

function flagIn(value: unknown, name: string): true | undefined {
  if (value === undefined || value === true) return value;
  throw invalid(name, 'true, or left out');
}

function invalid(name: string, expected: string): DevError {
  return invalidMember(`${name} must be ${expected}`, name);
}
