import type { ChangeSet } from '../../../contract/declare/rules.ts';
import type { Conditions } from '../../../contract/store/records.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';

/** A criterion of a line item. */
export interface LineCriterion {
  readonly line: string;
  readonly type: string;
  readonly value: string;
  readonly operator: string;
}

/** A created criterion, and the index of its change. */
export interface CreatedCriterion extends LineCriterion {
  readonly index: number;
}

/** Returns the values of a stored criterion. */
export function toLineCriterion(row: Criterion): LineCriterion {
  return {
    line: String(row.line_item_id),
    type: String(row.targeting_type),
    value: String(row.targeting_value),
    operator: String(row.operator_type),
  };
}

/** Returns the criteria that a call created and did not delete again. */
export function createdCriteria({ changes }: ChangeSet<Criterion>): CreatedCriterion[] {
  const gone = new Set(changes.filter(({ after }) => after.deleted).map(({ after }) => after.id));
  return changes.flatMap(({ before, after }, index) =>
    before === undefined && !gone.has(after.id) ? [{ index, ...toLineCriterion(after) }] : [],
  );
}

/** Filters criteria by type. */
export function filterByType<C extends LineCriterion>(criteria: readonly C[], ...types: readonly string[]): C[] {
  return criteria.filter(({ type }) => types.includes(type));
}

/** Returns the distinct line items of criteria. */
export function lineItemIds(criteria: readonly LineCriterion[]): string[] {
  return [...new Set(criteria.map(({ line }) => line))];
}

/** Builds the query for live criteria of line items, by type and optionally operator. */
export function criteriaQuery(
  account: string,
  lines: readonly string[],
  types: readonly string[],
  operator?: string,
): Conditions {
  return {
    account,
    deleted: 'hidden',
    within: {
      line_item_id: lines,
      targeting_type: types,
      ...(operator === undefined ? {} : { operator_type: [operator] }),
    },
  };
}

/** Reads live EQ criteria of the given types, by line item. */
export async function readLiveCriteria(
  { tx, account }: Pick<ChangeSet<Criterion>, 'tx' | 'account'>,
  lines: readonly string[],
  ...types: readonly string[]
): Promise<ReadonlyMap<string, readonly LineCriterion[]>> {
  const query = { ...criteriaQuery(account.id, lines, types, 'EQ'), sort: AS_INDEXED, limit: ALL };
  const rows = await tx.records.page(criteriaRows, query);
  return Map.groupBy(
    rows.map((row) => toLineCriterion(row as Criterion)),
    ({ line }) => line,
  );
}

/** The order of the index; sorting by id alone would read the whole account. */
const AS_INDEXED = (['line_item_id', 'targeting_type', 'id'] as const).map(
  (column) => ({ column, direction: 'asc', nullable: false }) as const,
);
/** Above any possible number of criteria. */
const ALL = 1_000_000;
