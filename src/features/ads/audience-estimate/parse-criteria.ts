import { isObject } from '../../../base/objects.ts';
import type { AccountState } from '../../../contract/declare/account-state.ts';
import { isErrorDetail, type RawValue } from '../../../contract/declare/fields.ts';
import type { ChangeSet } from '../../../contract/declare/rules.ts';
import { type ErrorDetail, problem } from '../../../contract/problems/problems.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type Criterion, criteriaRows as declared } from '../targeting-criteria/criteria-rows.ts';
import { criterionIsValid, normalizeValue } from '../targeting-criteria/criterion-values.ts';
import { audiencesAreTargetable, targetsExist } from '../targeting-criteria/target-rules.ts';
import { targetingType } from '../targeting-criteria/targeting-types.ts';

/** Maximum number of criteria of an estimate. */
export const CRITERIA_MAX = 500;

/** One criterion of an estimate, with its value normalized. */
export interface EstimateCriterion {
  readonly type: string;
  readonly value: string;
  readonly operator: 'EQ' | 'NE' | 'GTE' | 'LT';
}

/** The valid criteria of a body by index, and the errors of the others. */
interface ParsedCriteria {
  readonly criteria: ReadonlyMap<number, EstimateCriterion>;
  readonly errors: readonly ErrorDetail[];
}

const LIST = 'targeting_criteria';
const { targeting_type, targeting_value, operator_type } = declared.fields;

/**
 * Parses the criteria of a body: an array, or an object with the array `targeting_criteria`. Errors of all criteria are
 * reported together; rules that need the database are checked by `checkReferences`.
 * @throws NOT_CRITERIA, TOO_FEW_ITEMS or ESTIMATE_TOO_LARGE
 * @source campaigns 14; decision 292
 */
export function parseCriteria(body: unknown): ParsedCriteria {
  const list = Array.isArray(body) ? body : (body as { targeting_criteria?: unknown } | null)?.targeting_criteria;
  if (!Array.isArray(list)) throw problem('NOT_CRITERIA', { parameter: LIST });
  if (list.length === 0) throw problem('TOO_FEW_ITEMS', { parameter: LIST });
  if (list.length > CRITERIA_MAX)
    throw problem('ESTIMATE_TOO_LARGE', { parameter: LIST, words: { max: CRITERIA_MAX } });
  const found = new Map<number, EstimateCriterion>();
  const errors: ErrorDetail[] = [];
  for (const [index, item] of list.entries()) {
    const read = parseCriterion(item, `${LIST}[${index}]`);
    if (Array.isArray(read)) errors.push(...read);
    else found.set(index, read as EstimateCriterion);
  }
  return { criteria: found, errors };
}

function parseCriterion(item: unknown, place: string): EstimateCriterion | ErrorDetail[] {
  if (!isObject(item)) {
    return [{ problem: 'NOT_AN_OBJECT', parameter: place, words: { parameter: place } }];
  }
  const raw = item as Record<string, RawValue | undefined>;
  const errors: ErrorDetail[] = [];
  const read = (name: 'targeting_type' | 'targeting_value' | 'operator_type'): string => {
    const { kind, defaultValue } = { targeting_type, targeting_value, operator_type }[name];
    const parameter = `${place}.${name}`;
    const value = raw[name];
    const isEmpty = value === '' || value === null;
    if (defaultValue !== undefined && (value === undefined || isEmpty)) return defaultValue;
    const error = value === undefined ? 'MISSING_PARAMETER' : isEmpty ? 'TEXT_EMPTY' : undefined;
    const stored: string | ErrorDetail = error ? { problem: error, parameter } : kind.read(value!, parameter);
    if (!isErrorDetail(stored)) return stored;
    errors.push(stored);
    return '';
  };
  const [type, value, operator] = [read('targeting_type'), read('targeting_value'), read('operator_type')];
  if (errors.length > 0) return errors;
  const criterion = { type, value: normalizeValue(type, value), operator: operator as EstimateCriterion['operator'] };
  const wrong = [criterionIsValid({ after: rowOf(criterion) }) ?? []].flat();
  return wrong.length > 0 ? wrong.map((error) => withPath(error, place)) : criterion;
}

/** Prefixes the parameter of an error with the path of its criterion. */
function withPath(error: ErrorDetail, place: string): ErrorDetail {
  const { parameter, attribute } = error;
  return {
    ...error,
    ...(parameter === undefined ? {} : { parameter: `${place}.${parameter}` }),
    ...(attribute === undefined ? {} : { attribute: `${place}.${attribute}` }),
  };
}

/** Returns the criterion as a row without a line item, for the rules of stored criteria. */
function rowOf({ type, value, operator }: EstimateCriterion): Criterion {
  return { targeting_type: type, targeting_value: value, operator_type: operator } as Criterion;
}

/**
 * Checks that the campaigns, users and audiences of criteria exist, with the rules of stored criteria.
 * @source decision 293
 */
export async function checkReferences(
  tx: ReadTransaction,
  account: AccountState,
  { criteria }: ParsedCriteria,
): Promise<readonly ErrorDetail[]> {
  const places = [...criteria.keys()];
  const changes = [...criteria.values()].map((criterion, index) => ({
    before: undefined,
    after: { ...rowOf(criterion), id: String(index), deleted: 0 as const },
  }));
  const whole: ChangeSet<Criterion> = { tx, account, isBatch: true, changes };
  const found = [...(await targetsExist(whole)), ...(await audiencesAreTargetable(whole))];
  return found.map(({ index, error }) => withPath(error, `${LIST}[${places[index]}]`));
}

/**
 * Whether a criterion is primary; an estimate needs at least one.
 * @source advertising 8
 */
export function isPrimary({ type, operator }: EstimateCriterion): boolean {
  return operator === 'EQ' && targetingType(type).isPrimary;
}
