import type { CascadeCreate, Change } from '../../../contract/declare/resource.ts';
import type { LineItem } from '../line-items.ts';

/** The fields that name an application; what it runs on, and how targeting calls that. */
const STORES = {
  android_store_identifier: { os: 'Android', platform: '1' },
  ios_store_identifier: { os: 'iOS', platform: '0' },
} as const;
type StoreField = keyof typeof STORES;
const FIELDS = Object.keys(STORES) as StoreField[];

/** An application that a line item names first appears among those of the account. @source campaigns 5.3 */
export const registerNamedApps: CascadeCreate<LineItem> = {
  resource: 'account_apps',
  triggers: FIELDS,
  rows: (change) =>
    newlyNamed(change).map((field) => ({ store_identifier: change.after[field], os_type: STORES[field].os })),
};

/**
 * A line item for an application is shown on what that runs on. Taking the application away leaves the criterion.
 * @source advertising: Line items; campaigns 9.6
 */
export const targetAppPlatforms: CascadeCreate<LineItem> = {
  resource: 'targeting_criteria',
  triggers: FIELDS,
  rows: (change) =>
    newlyNamed(change).map((field) => ({
      line_item_id: change.after.id,
      targeting_type: 'PLATFORM',
      targeting_value: STORES[field].platform,
      operator_type: 'EQ',
    })),
};

function newlyNamed({ after, before }: Change<LineItem>): StoreField[] {
  return FIELDS.filter((field) => after[field] !== null && after[field] !== before?.[field]);
}
