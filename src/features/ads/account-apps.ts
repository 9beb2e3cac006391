import { boolean, oneOf, text } from '../../contract/declare/fields.ts';
import { resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';

/**
 * Mobile apps of an account, created when a line item first names them, never by a call.
 * @source advertising 2; campaigns 5.3
 */
export const accountApps = resource({
  name: 'account_app',
  plural: 'account_apps',
  label: 'Account app',
  description: 'Mobile apps that line items of the account have named.',
  scope: 'account',
  operations: ['list'],
  roles: CAMPAIGN_ROLES,
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 36 * 6 },
  fields: {
    store_identifier: text({ max: 255 }).readOnly().required().describe('Android package name or numeric iOS app id.'),
    os_type: oneOf('Android', 'iOS').readOnly().required().describe('Operating system of the app.'),
    conversion_tracking_enabled: boolean()
      .readOnly()
      .defaults(0)
      .describe('Whether conversions in the app are tracked.'),
    deep_link_pattern: text({ max: 2048 }).readOnly().describe('Prefix of the links that open the app.'),
  },
  unique: { key: (row) => [row.os_type, row.store_identifier] },
  list: {},
});
