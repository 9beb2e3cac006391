import { id, reference } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import { type Change, type ChangeSet, invalid } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import type { Conditions } from '../../contract/store/records.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { lineItemChild } from './line-item-children.ts';
import { lineItems } from './line-items.ts';
import { CURATED_CATEGORIES } from './reference/categories.ts';
import { referenceEntry } from './reference/reference-entry.ts';
import { criteriaQuery, readLiveCriteria } from './targeting-criteria/created-criteria.ts';
import { criteriaRows } from './targeting-criteria/criteria-rows.ts';
import { EXCLUDED_PUBLISHERS_OF_CURATED_MAX } from './targeting-criteria/targeting-types.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .filteredBy('line_item_ids')
    .describe('Line item; it can have one curated category.'),
  curated_category_id: id().required().describe('Curated category.'),
} satisfies Fields;

/** A stored link between a line item and a curated category. */
type LineItemCuratedCategory = RowOf<typeof fields>;

/**
 * Links between line items and curated categories: the publishers with whose videos ads are shown.
 * @source campaigns 12.6
 */
export const lineItemCuratedCategories = resource({
  ...lineItemChild,
  name: 'line_item_curated_category',
  plural: 'line_item_curated_categories',
  label: 'Line item curated category',
  description: 'Assigns a curated category to a line item, so that its ads run with the videos of those publishers.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 36 ** 5 * 4 },
  fields,
  rules: [categoryExists],
  changeSetRules: [fitsItsLineItem],
  problems: ['INVALID', 'NOT_FOUND'],
});

/** Returns the line items that have a curated category. */
export async function lineItemsWithCuratedCategory(
  tx: ReadTransaction,
  account: string,
  lines: readonly string[],
): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set();
  const tallies = await tx.records.tally(lineItemCuratedCategories, under(account, lines), ['line_item_id']);
  return new Set(tallies.map((tally) => String(tally.line_item_id)));
}

function under(account: string, lines: readonly string[]): Conditions {
  return { account, deleted: 'hidden', within: { line_item_id: lines } };
}

/** Rule: the curated category exists; checked before the rules of its line item. @source decision 144 */
function categoryExists({ after }: Change<LineItemCuratedCategory>): ErrorDetail | undefined {
  const value = String(after.curated_category_id);
  if (CURATED_CATEGORIES.some((category) => category.id === value)) return undefined;
  return { problem: 'NOT_FOUND', parameter: 'curated_category_id', value, words: { kind: 'Curated category' } };
}

function isUnchanged(before: LineItemCuratedCategory | undefined, after: LineItemCuratedCategory): boolean {
  return before?.line_item_id === after.line_item_id && before.curated_category_id === after.curated_category_id;
}

/**
 * Rule: a line item has at most one curated category, targets one of its countries and no IAB categories, and
 * excludes at most `EXCLUDED_PUBLISHERS_OF_CURATED_MAX` publishers.
 * @source decision 143
 */
async function fitsItsLineItem(whole: ChangeSet<LineItemCuratedCategory>) {
  const { tx, account } = whole;
  const [change] = whole.changes;
  if (!change || change.after.deleted || isUnchanged(change.before, change.after)) return [];
  const line = String(change.after.line_item_id);
  const messages = [];
  const [linked] = await tx.records.tally(lineItemCuratedCategories, under(account.id, [line]), ['line_item_id']);
  if (linked && linked.total > 1) messages.push('A line item can have one curated category only');
  const { country_codes } = CURATED_CATEGORIES.find(({ id }) => id === change.after.curated_category_id)!;
  const places = (await readLiveCriteria(whole, [line], 'LOCATION')).get(line) ?? [];
  const countries = places.map(({ value }) => referenceEntry('LOCATION', value)?.country_code);
  if (!countries.some((country) => country && country_codes.includes(country))) {
    messages.push('The line item must target a country of the curated category');
  }
  const count = (type: string) => tx.records.count(criteriaRows, criteriaQuery(account.id, [line], [type]));
  if ((await count('IAB_CATEGORY')) > 0) {
    messages.push('A line item that targets IAB categories cannot have a curated category');
  }
  if ((await count('CONTENT_PUBLISHER_USER')) > EXCLUDED_PUBLISHERS_OF_CURATED_MAX) {
    messages.push(
      `A line item with a curated category can exclude ${EXCLUDED_PUBLISHERS_OF_CURATED_MAX} publishers at most`,
    );
  }
  return messages.map((message) => ({ index: 0, error: invalid('curated_category_id', message) }));
}
