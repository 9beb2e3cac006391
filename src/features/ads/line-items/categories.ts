import { itemsOf } from '../../../contract/declare/fields.ts';
import { type Change, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { LineItem } from '../line-items.ts';
import { ADVERTISER_BUSINESS_CATEGORIES, type IabGroup, isIabCategory } from '../reference/categories.ts';
import { reachesPublisherNetwork } from './placements.ts';

/** Pre-roll advertisers have one or two advertiser business categories. */
const BUSINESSES_MAX = 2;

type Categorized = Pick<LineItem, 'objective' | 'categories'>;

/**
 * Returns the IAB categories of a line item. For pre-roll they are extended to whole advertiser business categories: naming
 * one IAB category selects all of its business category.
 * @source advertising 3; campaigns 9.5
 */
export function completeCategories({ objective, categories }: Categorized): string | null {
  const input = itemsOf(categories);
  const businesses = businessesOf(input);
  const isWhole = businesses.length > 0 && businesses.length <= BUSINESSES_MAX && input.every(isOfBusiness);
  if (objective !== 'PREROLL_VIEWS' || !isWhole || !input.every(isIabCategory)) return categories;
  return JSON.stringify([...new Set(businesses.flatMap((business) => business.iab_categories))]);
}

/**
 * Rule: IAB categories exist, are set where required, and for pre-roll belong to one or two business categories.
 * @source decision 129
 */
export function categoriesAreValid({ after, before }: Change<LineItem>): readonly ErrorDetail[] {
  const input = itemsOf(after.categories);
  const isPreroll = after.objective === 'PREROLL_VIEWS';
  if (input.length === 0) {
    const isNeeded = isPreroll || reachesPublisherNetwork(after.placements);
    return isNeeded ? [{ problem: 'TOO_FEW_ITEMS', parameter: 'categories' }] : [];
  }
  if (after.categories === before?.categories) return [];
  const unknown = input.filter((id) => !isIabCategory(id));
  if (unknown.length > 0) {
    return unknown.map((value) => ({ problem: 'INVALID_IAB_CATEGORY', parameter: 'categories', value }));
  }
  if (!isPreroll || (input.every(isOfBusiness) && businessesOf(input).length <= BUSINESSES_MAX)) return [];
  return [invalid('categories', 'Categories must be those of one or two advertiser business categories')];
}

function businessesOf(ids: readonly string[]): IabGroup[] {
  return ADVERTISER_BUSINESS_CATEGORIES.filter((business) => ids.some((id) => belongsTo(id, business)));
}

function isOfBusiness(id: string): boolean {
  return businessesOf([id]).length > 0;
}

/** Tests whether an IAB category equals, contains or is contained in a category of the business. */
function belongsTo(id: string, { iab_categories: own }: IabGroup): boolean {
  return own.some((member) => member === id || id.startsWith(`${member}-`) || member.startsWith(`${id}-`));
}
