import { lazy, readTable } from './tsv-table.ts';

/** A category that stands for a set of IAB categories. */
export interface IabGroup {
  readonly id: string;
  readonly name: string;
  readonly iab_categories: readonly string[];
}

/** One row of the IAB taxonomy; `parent_id` is null for the 26 of the first tier. */
export interface IabCategory {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
}

/** A list of publishers that somebody put together by topic. */
export interface CuratedCategory {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** ISO 3166-1 alpha-2, where the category exists. */
  readonly country_codes: readonly string[];
}

/** What publishers are about, for targeting. @source campaigns 6.2 */
export const CONTENT_CATEGORIES: readonly IabGroup[] = groups('content-categories');

/** What advertisers of PREROLL_VIEWS line items do. @source campaigns 6.3 */
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

/** Whether an id stands in the IAB taxonomy. */
export function isIabCategory(id: string): boolean {
  return iabIds().has(id);
}
