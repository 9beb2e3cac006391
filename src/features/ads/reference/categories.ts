import { lazy, readTable } from './tsv-table.ts';

/** A category that groups IAB categories. */
export interface IabGroup {
  readonly id: string;
  readonly name: string;
  readonly iab_categories: readonly string[];
}

/** A category of the IAB taxonomy; `parent_id` is null in the first tier. */
interface IabCategory {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
}

/** A list of publishers about one topic. */
export interface CuratedCategory {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** ISO 3166-1 alpha-2 codes where the category is available. */
  readonly country_codes: readonly string[];
}

/** Content categories of publishers, for targeting. @source campaigns 6.2 */
export const CONTENT_CATEGORIES: readonly IabGroup[] = groups('content-categories');

/** Advertiser business categories, for PREROLL_VIEWS line items. @source campaigns 6.3 */
export const ADVERTISER_BUSINESS_CATEGORIES: readonly IabGroup[] = groups('advertiser-business-categories');

/** The curated categories of the service. @source campaigns 6.5 */
export const CURATED_CATEGORIES: readonly CuratedCategory[] = readTable<
  'id' | 'name' | 'description' | 'country_codes'
>('curated-categories').map((line) => ({ ...line, country_codes: line.country_codes.split(',') }));

function groups(table: string): IabGroup[] {
  return readTable<'id' | 'name' | 'iab_categories'>(table).map((line) => ({
    ...line,
    iab_categories: line.iab_categories.split(','),
  }));
}

/** The IAB taxonomy, version 1: each category of the first tier before its children. @source campaigns 6.4 */
export const iabCategories: () => readonly IabCategory[] = lazy(() =>
  readTable<'id' | 'name'>('iab-categories').map(({ id, name }) => {
    const [tier1, child] = id.split('-') as [string, string?];
    return { id, parent_id: child === undefined ? null : tier1, name };
  }),
);

const iabIds = lazy(() => new Set(iabCategories().map(({ id }) => id)));

/** Tests whether an id is in the IAB taxonomy. */
export function isIabCategory(id: string): boolean {
  return iabIds().has(id);
}
