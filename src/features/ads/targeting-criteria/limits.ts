import type { WholeRule } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { linesWithCurated } from '../line-item-curated-categories.ts';
import { type Created, createdBy, linesOf, ofLines, ofTypes } from './created.ts';
import { type Criterion, criteria } from './rows.ts';
import { EXCLUDED_PUBLISHERS_OF_CURATED_MAX, TARGETING_TYPES, targetingType } from './types.ts';

/**
 * Rule: a line item has no more criteria of a type than it may have. The last of those that a call created are those
 * that do not fit any more.
 * @source campaigns 10.3
 */
export const withinLimits: WholeRule<Criterion> = async (whole) => {
  const { tx, account } = whole;
  const counted = createdBy(whole).filter(({ row }) => targetingType(String(row.targeting_type)).most);
  if (counted.length === 0) return [];
  const types = new Set(counted.flatMap(({ row }) => countedTogether(String(row.targeting_type))));
  const tallies = await tx.records.tally(criteria, ofLines(account.id, linesOf(counted), [...types]), COLUMNS);
  const totals = new Map<string, number>();
  for (const tally of tallies) {
    const key = keyOf(tally as unknown as Criterion);
    totals.set(key, (totals.get(key) ?? 0) + tally.total);
  }
  const curated = await linesWithCurated(tx, account.id, linesOf(ofTypes(counted, 'CONTENT_PUBLISHER_USER')));
  return [...Map.groupBy(counted, ({ row }) => keyOf(row))].flatMap(([key, created]) => {
    const { row } = created[0]!;
    const max = maxOf(row, curated);
    const excess = (totals.get(key) ?? 0) - max;
    return excess > 0 ? created.slice(-excess).map(({ index }) => ({ index, error: tooMany(row, max) })) : [];
  });
};

const COLUMNS = ['line_item_id', 'targeting_type', 'operator_type'];

function countedTogether(name: string): string[] {
  const group = targetingType(name).most?.group;
  if (group === undefined) return [name];
  return Object.keys(TARGETING_TYPES).filter((other) => targetingType(other).most?.group === group);
}

/** What rows have in common that are counted together. */
function keyOf(row: Pick<Criterion, 'line_item_id' | 'targeting_type' | 'operator_type'>): string {
  const name = String(row.targeting_type);
  const { most } = targetingType(name);
  return [row.line_item_id, most?.group ?? name, most?.perOperator ? row.operator_type : ''].join(' ');
}

function maxOf(row: Created['row'], curated: ReadonlySet<string>): number {
  const isCurated = row.targeting_type === 'CONTENT_PUBLISHER_USER' && curated.has(String(row.line_item_id));
  return isCurated ? EXCLUDED_PUBLISHERS_OF_CURATED_MAX : targetingType(String(row.targeting_type)).most!.rows;
}

function tooMany(row: Created['row'], max: number): ErrorDetail {
  const name = String(row.targeting_type);
  const { group, perOperator } = targetingType(name).most!;
  const kind = `${group ?? name}${perOperator ? ` ${row.operator_type}` : ''}`;
  if (max === 1) {
    const message = `Only one ${kind} criterion is allowed per line item`;
    return { problem: 'INVALID', attribute: 'targeting_type', words: { message } };
  }
  const words = { line: String(row.line_item_id), max, kind };
  return { problem: 'TOO_MANY_CRITERIA', parameter: 'targeting_type', words };
}
