import type { CredentialKind, Operation } from '../../src/contract/declare/operation.ts';
import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { type ProblemName, problems, type Wording } from '../../src/contract/problems/problems.ts';
import { declaredProblems, wording } from '../../src/engine/declared-problems.ts';

/** A problem as worded for an operation. */
export interface ProblemWords {
  readonly name: ProblemName;
  readonly status: number;
  readonly code: string | number;
  readonly message: string;
  readonly when: string;
}

/** Problems as worded by a family, each with its condition. */
export function problemWords(operation: Pick<Operation, 'family'>, names: readonly ProblemName[]): ProblemWords[] {
  return names.map((name) => {
    const [status, code, message]: Wording = wording(operation, name);
    return { name, status, code, message, when: problems[name].when };
  });
}

/** The problems that all of these operations share. */
export function sharedProblems(operations: readonly Operation[]): ProblemName[] {
  const [first, ...others] = operations.map(declaredProblems);
  return (first ?? []).filter((name) => others.every((each) => each.includes(name)));
}

/** Describes the rate limit of an operation. */
export function rateWords(operation: Operation, limits: Readonly<Record<RateSetting, number | string>>): string {
  const { setting, window_s, together } = RATES[operation.rate];
  const what = together ? `all ${operation.rate.replaceAll('_', ' ')} together` : 'this call alone';
  return `${thousands(limits[setting])} in ${durationWords(window_s)} per ${countedPer(operation)}, ${what}`;
}

const UNITS = [
  [86_400, 'a day', 'days'],
  [3600, 'an hour', 'hours'],
  [60, 'a minute', 'minutes'],
  [1, 'a second', 'seconds'],
] as const;

/** A number of seconds in words, in the largest unit that divides it, such as `an hour` or `15 minutes`. */
export function durationWords(duration_s: number): string {
  const [unit_s, one, several] = UNITS.find(([size_s]) => duration_s % size_s === 0)!;
  return duration_s === unit_s ? one : `${duration_s / unit_s} ${several}`;
}

function thousands(amount: number | string): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The successor path of a deprecated or legacy operation; undefined for others. */
export function successorOf({ replacedBy, deprecation }: Operation): string | undefined {
  return replacedBy ?? deprecation?.path;
}

/** Credentials with which an application calls for itself. */
const ITSELF: ReadonlySet<CredentialKind> = new Set(['consumer', 'request-token', 'basic', 'bearer']);

/** The scope of the rate limit. */
export function countedPer({
  rate,
  credential = 'user',
}: Operation): 'account' | 'user' | 'application' | 'publisher' | 'user or application' {
  const { perAccount, perApplication } = RATES[rate];
  if (perAccount) return 'account';
  if (credential === 'publisher') return 'publisher';
  if (perApplication || ITSELF.has(credential)) return 'application';
  return credential === 'user-or-bearer' ? 'user or application' : 'user';
}
