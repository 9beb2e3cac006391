import type { ChangeSet } from '../../../contract/declare/resource.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';

/** A criterion that a call created, and which of its changes did. */
export interface CreatedCriterion {
  readonly index: number;
  readonly row: Criterion;
}

/** The criteria that a call created and left alive; what was there already and what it deleted again do not count. */
export function createdCriteria({ changes }: ChangeSet<Criterion>): CreatedCriterion[] {
  const gone = new Set(changes.filter(({ after }) => after.deleted).map(({ after }) => after.id));
  return changes.flatMap(({ before, after }, index) =>
    before === undefined && !gone.has(after.id) ? [{ index, row: after }] : [],
  );
}

/** Of what was created, the types named. */
export function ofTypes(created: readonly CreatedCriterion[], ...types: readonly string[]): CreatedCriterion[] {
  return created.filter(({ row }) => types.includes(String(row.targeting_type)));
}

/** The line items of some rows, each once. */
export function lineItemIds(created: readonly CreatedCriterion[]): string[] {
  return [...new Set(created.map(({ row }) => String(row.line_item_id)))];
}

/** Which rows are meant: those of some line items that have some types, and an operator when it is said. */
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

/** The live criteria of some types with operator EQ, by line item. */
export async function liveCriteriaByLineItem(
  tx: ReadTransaction,
  account: string,
  lines: readonly string[],
  types: readonly string[],
): Promise<ReadonlyMap<string, readonly Criterion[]>> {
  const query = { ...criteriaQuery(account, lines, types, 'EQ'), sort: AS_INDEXED, after: undefined, limit: ALL };
  const rows = (await tx.records.page(criteriaRows, query)) as unknown as Criterion[];
  return Map.groupBy(rows, (row) => String(row.line_item_id));
}

/** As the index of types has them; by id alone the whole account would be read. */
const AS_INDEXED = (['line_item_id', 'targeting_type', 'id'] as const).map(
  (column) => ({ column, direction: 'asc', nullable: false }) as const,
);
/** More than there can be. */
const ALL = 1_000_000;
