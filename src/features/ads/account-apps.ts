import { boolean, oneOf, text } from '../../contract/declare/fields.ts';
import { resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../../contract/declare/roles.ts';

/**
 * Applications of stores that an account has named. They appear when a line item first names one; nobody makes them
 * otherwise.
 * @source advertising: Accounts; campaigns 5.3
 */
export const accountApps = resource({
  name: 'account_app',
  plural: 'account_apps',
  label: 'Account app',
  description: 'Applications of stores that line items of the account have named.',
  scope: 'account',
  operations: ['list'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  idsFrom: 36 * 6,
  fields: {
    store_identifier: text({ max: 255 }).readOnly().required().describe('Name of a package, or digits.'),
    os_type: oneOf('Android', 'iOS').readOnly().required().describe('What it runs on.'),
    conversion_tracking_enabled: boolean().readOnly().defaults(0).describe('Whether its events are counted.'),
    deep_link_pattern: text({ max: 2048 }).readOnly().describe('Links that open it begin with this.'),
  },
  onePer: (row) => [row.os_type, row.store_identifier],
  list: {},
});
