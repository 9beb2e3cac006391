import type { CascadeCreate } from '../../../contract/declare/resource.ts';
import type { Change } from '../../../contract/declare/rules.ts';
import type { LineItem } from '../line-items.ts';

/** The fields with a mobile app, and the operating system and PLATFORM targeting value of each. */
const STORES = {
  android_store_identifier: { os: 'Android', platform: '1' },
  ios_store_identifier: { os: 'iOS', platform: '0' },
} as const;
type StoreField = keyof typeof STORES;
const FIELDS = Object.keys(STORES) as StoreField[];

/** Adds a newly named app to the account apps. @source campaigns 5.3 */
export const registerNamedApps: CascadeCreate<LineItem> = {
  resource: 'account_apps',
  triggers: FIELDS,
  rows: (change) =>
    newlyNamed(change).map((field) => ({ store_identifier: change.after[field], os_type: STORES[field].os })),
};

/**
 * Targets the platform of a newly named app. The criterion stays when the app is removed.
 * @source advertising 6; campaigns 9.6; decision 142 and 179
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

/** Returns the fields with a changed store identifier. @source decision 133 */
function newlyNamed({ after, before }: Change<LineItem>): StoreField[] {
  return FIELDS.filter((field) => after[field] !== null && after[field] !== before?.[field]);
}
