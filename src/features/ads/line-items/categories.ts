import { itemsOf } from '../../../contract/declare/fields.ts';
import type { Change } from '../../../contract/declare/resource.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { LineItem } from '../line-items.ts';
import { ADVERTISER_BUSINESS_CATEGORIES, type IabGroup, isIabCategory } from '../reference/categories.ts';
import { reachesPublisherNetwork } from './placements.ts';

/** The business of an advertiser before videos is one or two of the categories that there are. */
const BUSINESSES_MAX = 2;

type Categorized = Pick<LineItem, 'objective' | 'categories'>;

/**
 * Categories of what is advertised. Before videos they are those of whole business categories: naming part of one
 * names all of it.
 * @source advertising: Reference data; campaigns 9.5
 */
export function completeCategories({ objective, categories }: Categorized): string | null {
  const input = itemsOf(categories ?? '[]');
  const businesses = businessesOf(input);
  const isWhole = businesses.length > 0 && businesses.length <= BUSINESSES_MAX && input.every(isOfBusiness);
  if (objective !== 'PREROLL_VIEWS' || !isWhole || !input.every(isIabCategory)) return categories;
  return JSON.stringify([...new Set(businesses.flatMap((business) => business.iab_categories))]);
}

/** Categories must exist, be there where they are needed, and before videos be those of one or two businesses. */
export function categoriesAreValid({ after, before }: Change<LineItem>): readonly ErrorDetail[] {
  const input = itemsOf(after.categories ?? '[]');
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
  const message = 'Categories must be those of one or two advertiser business categories';
  return [{ problem: 'INVALID', attribute: 'categories', words: { message } }];
}

function businessesOf(ids: readonly string[]): IabGroup[] {
  return ADVERTISER_BUSINESS_CATEGORIES.filter((business) => ids.some((id) => belongsTo(id, business)));
}

function isOfBusiness(id: string): boolean {
  return ADVERTISER_BUSINESS_CATEGORIES.some((business) => belongsTo(id, business));
}

/** An id belongs to a business as one of its own, as a child of one, or as a parent of some. */
function belongsTo(id: string, { iab_categories: own }: IabGroup): boolean {
  return own.some((member) => member === id || id.startsWith(`${member}-`) || member.startsWith(`${id}-`));
}
