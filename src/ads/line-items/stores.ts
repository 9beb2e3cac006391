import type { Change, Consequence } from '../../contract/resource.ts';
import { accountApps } from '../account-apps.ts';
import type { LineItem } from '../line-items.ts';

/** The fields that name an application, and what it runs on. */
const STORES = { android_store_identifier: 'Android', ios_store_identifier: 'iOS' } as const;
type StoreField = keyof typeof STORES;
const FIELDS = Object.keys(STORES) as StoreField[];

/** An application that a line item names first appears among those of the account. @source campaigns 5.3 */
export const namedApps: Consequence<LineItem> = {
  resource: () => accountApps,
  from: FIELDS,
  rows: (change) =>
    newlyNamed(change).map((field) => ({ store_identifier: change.after[field], os_type: STORES[field] })),
};

function newlyNamed({ after, before }: Change<LineItem>): StoreField[] {
  return FIELDS.filter((field) => after[field] !== null && after[field] !== before?.[field]);
}
