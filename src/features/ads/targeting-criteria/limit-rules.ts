import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { lineItemsWithCuratedCategory } from '../line-item-curated-categories.ts';
import { type CreatedCriterion, createdCriteria, criteriaQuery, lineItemIds, ofTypes } from './created-criteria.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';
import { EXCLUDED_PUBLISHERS_OF_CURATED_MAX, TARGETING_TYPES, targetingType } from './targeting-types.ts';

/**
 * Rule: a line item stays within the maximum number of criteria of each type. The error is on the last of the
 * created ones.
 * @source campaigns 10.3
 */
export const withinTypeLimits: ChangeSetRule<Criterion> = async (whole) => {
  const { tx, account } = whole;
  const counted = createdCriteria(whole).filter(({ row }) => targetingType(String(row.targeting_type)).limit);
  if (counted.length === 0) return [];
  const types = new Set(counted.flatMap(({ row }) => countedTogether(String(row.targeting_type))));
  const tallies = await tx.records.tally(
    criteriaRows,
    criteriaQuery(account.id, lineItemIds(counted), [...types]),
    COLUMNS,
  );
  const totals = new Map<string, number>();
  for (const tally of tallies) {
    const key = keyOf(tally as unknown as Criterion);
    totals.set(key, (totals.get(key) ?? 0) + tally.total);
  }
  const curated = await lineItemsWithCuratedCategory(
    tx,
    account.id,
    lineItemIds(ofTypes(counted, 'CONTENT_PUBLISHER_USER')),
  );
  return [...Map.groupBy(counted, ({ row }) => keyOf(row))].flatMap(([key, created]) => {
    const { row } = created[0]!;
    const max = maxOf(row, curated);
    const excess = (totals.get(key) ?? 0) - max;
    return excess > 0 ? created.slice(-excess).map(({ index }) => ({ index, error: tooMany(row, max) })) : [];
  });
};

const COLUMNS = ['line_item_id', 'targeting_type', 'operator_type'];

function countedTogether(name: string): string[] {
  const group = targetingType(name).limit?.group;
  if (group === undefined) return [name];
  return Object.keys(TARGETING_TYPES).filter((other) => targetingType(other).limit?.group === group);
}

/** Key of rows that are counted together. */
function keyOf(row: Pick<Criterion, 'line_item_id' | 'targeting_type' | 'operator_type'>): string {
  const name = String(row.targeting_type);
  const { limit } = targetingType(name);
  return [row.line_item_id, limit?.group ?? name, limit?.perOperator ? row.operator_type : ''].join(' ');
}

function maxOf(row: CreatedCriterion['row'], curated: ReadonlySet<string>): number {
  const isCurated = row.targeting_type === 'CONTENT_PUBLISHER_USER' && curated.has(String(row.line_item_id));
  return isCurated ? EXCLUDED_PUBLISHERS_OF_CURATED_MAX : targetingType(String(row.targeting_type)).limit!.rows;
}

/** The error of an excess criterion; limits of one have an error of their own. @source decision 146 */
function tooMany(row: CreatedCriterion['row'], max: number): ErrorDetail {
  const name = String(row.targeting_type);
  const { group, perOperator } = targetingType(name).limit!;
  const kind = `${group ?? name}${perOperator ? ` ${row.operator_type}` : ''}`;
  if (max === 1) {
    const message = `Only one ${kind} criterion is allowed per line item`;
    return { problem: 'INVALID', attribute: 'targeting_type', words: { message } };
  }
  const words = { line: String(row.line_item_id), max, kind };
  return { problem: 'TOO_MANY_CRITERIA', parameter: 'targeting_type', words };
}
