import { type ChangeSetRule, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { lineItemsWithCuratedCategory } from '../line-item-curated-categories.ts';
import { createdCriteria, criteriaQuery, filterByType, type LineCriterion, lineItemIds } from './created-criteria.ts';
import { type Criterion, criteriaRows } from './criteria-rows.ts';
import { EXCLUDED_PUBLISHERS_OF_CURATED_MAX, TARGETING_TYPES, targetingType } from './targeting-types.ts';

const COLUMNS = ['line_item_id', 'targeting_type', 'operator_type'];

/**
 * Rule: a line item stays within the maximum number of criteria of each type. The error is on the last of the
 * created ones.
 * @source campaigns 10.3
 */
export const withinTypeLimits: ChangeSetRule<Criterion> = async (whole) => {
  const { tx, account } = whole;
  const counted = createdCriteria(whole).filter(({ type }) => targetingType(type).limit);
  if (counted.length === 0) return [];
  const types = new Set(counted.flatMap(({ type }) => typesCountedWith(type)));
  const query = criteriaQuery(account.id, lineItemIds(counted), [...types]);
  const totals = new Map<string, number>();
  for (const tally of await tx.records.tally(criteriaRows, query, COLUMNS)) {
    const [line, type, operator] = COLUMNS.map((column) => String(tally[column])) as [string, string, string];
    const key = keyOf({ line, type, operator });
    totals.set(key, (totals.get(key) ?? 0) + tally.total);
  }
  const publishers = filterByType(counted, 'CONTENT_PUBLISHER_USER');
  const curated = await lineItemsWithCuratedCategory(tx, account.id, lineItemIds(publishers));
  return [...Map.groupBy(counted, keyOf)].flatMap(([key, created]) => {
    const first = created[0]!;
    const isCurated = first.type === 'CONTENT_PUBLISHER_USER' && curated.has(first.line);
    const max = isCurated ? EXCLUDED_PUBLISHERS_OF_CURATED_MAX : targetingType(first.type).limit!.rows;
    const excess = (totals.get(key) ?? 0) - max;
    return excess > 0 ? created.slice(-excess).map(({ index }) => ({ index, error: tooMany(first, max) })) : [];
  });
};

function typesCountedWith(name: string): string[] {
  const group = targetingType(name).limit?.group;
  if (group === undefined) return [name];
  return Object.keys(TARGETING_TYPES).filter((other) => targetingType(other).limit?.group === group);
}

/** Key of criteria that are counted together. */
function keyOf({ line, type, operator }: Omit<LineCriterion, 'value'>): string {
  const { limit } = targetingType(type);
  return [line, limit?.group ?? type, limit?.perOperator ? operator : ''].join(' ');
}

/** Returns the error of an excess criterion; a limit of one has its own error. @source decision 146 */
function tooMany({ line, type, operator }: LineCriterion, max: number): ErrorDetail {
  const { group, perOperator } = targetingType(type).limit!;
  const kind = `${group ?? type}${perOperator ? ` ${operator}` : ''}`;
  if (max === 1)
    return invalid('targeting_type', `Only one ${kind} criterion is allowed per line item`, 'ONE_OF_A_KIND');
  return { problem: 'TOO_MANY_CRITERIA', parameter: 'targeting_type', words: { line, max, kind } };
}
