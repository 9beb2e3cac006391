import type { ReadTransaction, WriteTransaction } from '../../storage/unit-of-work.ts';
import type { ErrorDetail, InvalidReason } from '../problems/problems.ts';
import type { MediaUrls } from '../services/media.ts';
import type { AccountState } from './account-state.ts';
import type { StoredValue } from './fields.ts';
import type { Services } from './operation.ts';
import type { AnyResource, Row } from './resource.ts';

/** A change about to be stored: the row before and after, and what rules may read. */
export interface Change<R> {
  /** The resource of the row. */
  readonly resource: AnyResource;
  readonly verb: 'create' | 'update' | 'remove';
  readonly after: R;
  /** Undefined on create. */
  readonly before: R | undefined;
  /** The rows that references in `after` point to, by field; those of `before` are not read again. */
  readonly referenced: ReadonlyMap<string, Row>;
  readonly account: AccountState;
  readonly tx: ReadTransaction;
  readonly author: Author;
  /** Builds media URLs and validates media keys; undefined outside of calls. */
  readonly media: MediaUrls | undefined;
  /** UTC text of the current second. */
  readonly now: string;
}

/** The user who makes a change. */
export interface Author {
  /** Id of the user. */
  readonly user: string;
  /** May create promoted-only posts for the user that the account promotes. */
  readonly canCompose: boolean;
}

/** The result of a rule: no error, one or several. */
type RuleResult = ErrorDetail | readonly ErrorDetail[] | undefined;

/** A rule for one change. Rules run once all parameters are valid. */
export type Rule<R> = (change: Change<R>) => RuleResult | Promise<RuleResult>;

/** An applied change of a call: `before` is undefined for a new row, and equal to `after` when nothing changed. */
export interface AppliedChange<R = Row> {
  readonly before: R | undefined;
  readonly after: R;
}

/** All changes of a call in order; reads in `tx` see them. */
export interface ChangeSet<R> {
  readonly changes: readonly AppliedChange<R>[];
  readonly isBatch: boolean;
  readonly account: AccountState;
  readonly tx: ReadTransaction;
}

/**
 * A rule for all changes of a call, single or batch: returns errors with the index of the change. Runs once after all
 * changes are applied, and checks their net effect; the account is locked.
 * @source decision 51
 */
export type ChangeSetRule<R> = (
  whole: ChangeSet<R>,
) => Promise<readonly { readonly index: number; readonly error: ErrorDetail }[]>;

/** The input of `derive`: the change, and the values that the caller sent. */
export interface DeriveContext<R> extends Omit<Change<R>, 'after'> {
  readonly input: Readonly<Record<string, StoredValue | null>>;
}

/** A completed write of a row, whose transaction is still open. */
export interface WriteContext<R> {
  readonly verb: 'create' | 'update' | 'remove';
  readonly before: R | undefined;
  readonly after: R;
  readonly account: AccountState;
  readonly tx: WriteTransaction;
  readonly services: Services;
  /** UTC text of the current second. */
  readonly now: string;
}

/** Rule: if both amounts are set, the first must not exceed the second. */
export function atMost<K extends string>(
  smaller: K,
  larger: K,
  message: string,
): Rule<{ readonly [P in K]: number | null }> {
  return ({ after }) => {
    const [low, high] = [after[smaller], after[larger]];
    return low !== null && high !== null && low > high ? invalid(smaller, message) : undefined;
  };
}

/** Rule: a field cannot return to a value that it has left. */
export function neverBackTo<K extends string>(
  name: K,
  value: string,
  message: string,
): Rule<{ readonly [P in K]: string | null }> {
  return ({ before, after }) =>
    before && after[name] === value && before[name] !== value ? invalid(name, message) : undefined;
}

/** Builds the error of an invalid attribute. */
export function invalid(attribute: string, message: string, reason?: InvalidReason): ErrorDetail {
  return { problem: 'INVALID', attribute, words: { message, ...(reason && { reason }) } };
}

/** The error of a name of white space only. @source decision 23 */
export function blankName(name: unknown): ErrorDetail[] {
  return typeof name === 'string' && name.trim() === '' ? [{ problem: 'TEXT_EMPTY', parameter: 'name' }] : [];
}
