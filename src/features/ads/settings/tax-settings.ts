import { type Field, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, resource } from '../../../contract/declare/resource.ts';
import { ACCOUNT_WRITERS, CAMPAIGN_READERS } from '../../../contract/declare/roles.ts';
import { singletonOperations } from './singleton-operations.ts';

/** Fields of an address. */
const ADDRESS = {
  city: 'City.',
  country: 'Country.',
  email: 'Email address for invoices.',
  first_name: 'First name of the contact.',
  last_name: 'Last name of the contact.',
  name: 'Company name; `company` instead of `name` in replies.',
  postal_code: 'Postal code.',
  region: 'Region or state.',
  street1: 'First line of the street.',
  street2: 'Second line of the street.',
} as const;

function address<P extends string>(prefix: P) {
  const parts = Object.entries(ADDRESS).map(([name, about]) => [
    `${prefix}_${name}`,
    text({ max: 255 }).describe(about),
  ]);
  return Object.fromEntries(parts) as Record<`${P}_${keyof typeof ADDRESS}`, Field<string>>;
}

/** An enum that defaults to `NOT_SET` and resets to it when cleared. @source decision 165 */
function oneOfOrNotSet<const W extends string>(...words: readonly W[]): Field<W | 'NOT_SET'> {
  return oneOf<W | 'NOT_SET'>(...words, 'NOT_SET').resetsTo('NOT_SET');
}

const fields = {
  ...address('address'),
  ...address('client_address'),
  bill_to: oneOfOrNotSet('ADVERTISER', 'AGENCY').describe('Recipient of invoices.'),
  business_relationship: oneOf('AGENCY', 'SELF').describe(
    'Whether an agency or the advertiser itself runs the account.',
  ),
  invoice_jurisdiction: oneOfOrNotSet('LOI_SAPIN', 'NONE').describe('Jurisdiction of invoices.'),
  tax_category: oneOf('BUSINESS_NO_VAT', 'BUSINESS_WITH_VAT', 'INDIVIDUAL').describe('Tax category of the advertiser.'),
  tax_exemption_id: text({ max: 255 }).describe('Tax exemption id.'),
  tax_id: text({ max: 255 }).describe('Tax id.'),
} satisfies Fields;

const taxSettings = resource({
  name: 'tax_setting',
  plural: 'tax_settings',
  label: 'Tax settings',
  description: 'Billing and tax settings of an account.',
  scope: 'account',
  operations: [],
  roles: { read: CAMPAIGN_READERS, write: ACCOUNT_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 0 },
  fields,
});

/** Billing and tax settings, one record per account. @source campaigns 17 and 5.5; decision 163 */
export const [getTaxSettings, updateTaxSettings] = singletonOperations({
  resource: taxSettings,
  replyNames: { address_name: 'address_company', client_address_name: 'client_address_company' },
  path: 'tax_settings',
  get: { description: 'Get the billing and tax settings of the account.', problems: [] },
  update: { description: 'Update the billing and tax settings of the account.', problems: [] },
  key: async (_, call) => ({ account: call.account.id, id: call.account.id }),
});
