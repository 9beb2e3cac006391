import type { Change, Consequence } from '../../contract/resource.ts';
import type { LineItem } from '../line-items.ts';
import { targetingCriteria } from '../targeting-criteria.ts';

/** The platform that the applications of each store run on, by its targeting value. */
const PLATFORM_OF_STORE = { android_store_identifier: '1', ios_store_identifier: '0' } as const;
const STORES = Object.keys(PLATFORM_OF_STORE) as (keyof typeof PLATFORM_OF_STORE)[];

/**
 * A line item that names an application of a store targets the platform of that store from then on, unless it does
 * already; the criterion stays when the name is taken away.
 * @source advertising: Line items; campaigns 9.6
 */
export const platformsOfStores: Consequence<LineItem> = {
  resource: () => targetingCriteria,
  from: STORES,
  rows: ({ after, before }: Change<LineItem>) =>
    STORES.filter((store) => after[store] !== null && after[store] !== before?.[store]).map((store) => ({
      line_item_id: after.id,
      targeting_type: 'PLATFORM',
      targeting_value: PLATFORM_OF_STORE[store],
      operator_type: 'EQ',
    })),
};
