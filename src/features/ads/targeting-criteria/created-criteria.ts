import type { ChangeSet } from '../../../contract/declare/rules.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';

/** A created criterion, and the index of its change. */
export interface CreatedCriterion {
  readonly index: number;
  readonly row: Criterion;
}

/** The criteria that a call created, without those that it deleted again. */
export function createdCriteria({ changes }: ChangeSet<Criterion>): CreatedCriterion[] {
  const gone = new Set(changes.filter(({ after }) => after.deleted).map(({ after }) => after.id));
  return changes.flatMap(({ before, after }, index) =>
    before === undefined && !gone.has(after.id) ? [{ index, row: after }] : [],
  );
}

/** Created criteria of some types. */
export function ofTypes(created: readonly CreatedCriterion[], ...types: readonly string[]): CreatedCriterion[] {
  return created.filter(({ row }) => types.includes(String(row.targeting_type)));
}

/** The distinct line items of created criteria. */
export function lineItemIds(created: readonly CreatedCriterion[]): string[] {
  return [...new Set(created.map(({ row }) => String(row.line_item_id)))];
}

/** The query of live criteria of some line items, by type and optionally operator. */
export function criteriaQuery(
  account: string,
  lines: readonly string[],
  types: readonly string[],
  operator?: string,
): Parameters<ReadTransaction['records']['tally']>[1] {
  return {
    account,
    member: undefined,
    deleted: 'hidden',
    within: {
      line_item_id: lines,
      targeting_type: types,
      ...(operator === undefined ? {} : { operator_type: [operator] }),
    },
    without: undefined,
    prefix: undefined,
  };
}

/** Live EQ criteria of some types, by line item. */
export async function liveCriteriaByLineItem(
  tx: ReadTransaction,
  account: string,
  lines: readonly string[],
  types: readonly string[],
): Promise<ReadonlyMap<string, readonly Criterion[]>> {
  const query = { ...criteriaQuery(account, lines, types, 'EQ'), sort: AS_INDEXED, after: undefined, limit: ALL };
  const rows = (await tx.records.page(criteriaRows, query)) as Criterion[];
  return Map.groupBy(rows, (row) => String(row.line_item_id));
}

/** The order of the index; sorting by id alone would read the whole account. */
const AS_INDEXED = (['line_item_id', 'targeting_type', 'id'] as const).map(
  (column) => ({ column, direction: 'asc', nullable: false }) as const,
);
/** Above any possible number of criteria. */
const ALL = 1_000_000;
