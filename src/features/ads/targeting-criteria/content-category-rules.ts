import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { CONTENT_CATEGORIES } from '../reference/categories.ts';
import { liveCriteriaByLineItem } from './created-criteria.ts';
import type { Criterion } from './criteria-rows.ts';

/**
 * Rule: after a batch, the IAB categories that a line item targets form complete content categories. Excluded
 * categories (NE) are not checked.
 * @source advertising 3; campaigns 10.3; decision 138
 */
export const contentCategoriesAreComplete: ChangeSetRule<Criterion> = async (whole) => {
  if (!whole.isBatch) return [];
  const changed = whole.changes.flatMap(({ before, after }, index) =>
    after.targeting_type === 'IAB_CATEGORY' && after.operator_type === 'EQ' && before !== after
      ? [{ index, row: after }]
      : [],
  );
  if (changed.length === 0) return [];
  const lines = [...new Set(changed.map(({ row }) => String(row.line_item_id)))];
  const live = await liveCriteriaByLineItem(whole.tx, whole.account.id, lines, ['IAB_CATEGORY']);
  const values = new Map(
    [...live].map(([line, rows]) => [line, new Set(rows.map((row) => String(row.targeting_value)))]),
  );
  return changed.flatMap(({ index, row }) => {
    const error = faultOf(String(row.targeting_value), values.get(String(row.line_item_id)) ?? new Set());
    return error ? [{ index, error }] : [];
  });
};

/** The error of an added or removed IAB category, in view of those that are targeted now. @source decision 139 */
function faultOf(value: string, live: ReadonlySet<string>): ErrorDetail | undefined {
  const own = CONTENT_CATEGORIES.find(({ iab_categories: all }) => all.includes(value));
  if (own) {
    const some = own.iab_categories.filter((each) => live.has(each)).length;
    return some === 0 || some === own.iab_categories.length ? undefined : incomplete(own.id);
  }
  if (!live.has(value)) return undefined;
  const near = CONTENT_CATEGORIES.find(({ iab_categories: all }) => all.some((each) => isParentOrChild(each, value)));
  return near ? incomplete(near.id) : invalid(`IAB category ${value} belongs to no content category`);
}

/** Whether one is a subcategory of the other, as `IAB2-4` of `IAB2`. */
function isParentOrChild(one: string, other: string): boolean {
  return one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}

function incomplete(category: string): ErrorDetail {
  return invalid(`All IAB categories of content category ${category} must be targeted together`);
}

function invalid(message: string): ErrorDetail {
  return { problem: 'INVALID', attribute: 'targeting_value', words: { message } };
}
