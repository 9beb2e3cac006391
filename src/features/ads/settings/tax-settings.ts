import { type Field, field, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, resource } from '../../../contract/declare/resource.ts';
import { ACCOUNT_WRITERS, CAMPAIGN_READERS } from '../../../contract/declare/roles.ts';
import { singleRecordOperations } from './single-record-operations.ts';

/** The parts of an address, and what each says. */
const ADDRESS = {
  city: 'City.',
  country: 'Country.',
  email: 'Where invoices are sent to.',
  first_name: 'First name of the person who is addressed.',
  last_name: 'Last name of the person who is addressed.',
  name: 'Name of the company. Reads back with `company` in place of `name`.',
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

/** One of these words, which reads `NOT_SET` until it is set and when it is emptied. */
function oneOfOrNotSet<const W extends string>(...words: readonly W[]): Field<W | 'NOT_SET'> {
  const { kind } = oneOf<W | 'NOT_SET'>(...words, 'NOT_SET');
  return field<W | 'NOT_SET'>(kind, { defaultValue: 'NOT_SET', emptyValue: 'NOT_SET', isNullable: false });
}

const fields = {
  ...address('address'),
  ...address('client_address'),
  bill_to: oneOfOrNotSet('ADVERTISER', 'AGENCY').describe('Who gets the invoices.'),
  business_relationship: oneOf('AGENCY', 'SELF').describe('Whether an agency advertises for somebody else.'),
  invoice_jurisdiction: oneOfOrNotSet('LOI_SAPIN', 'NONE').describe('The law that invoices follow.'),
  tax_category: oneOf('BUSINESS_NO_VAT', 'BUSINESS_WITH_VAT', 'INDIVIDUAL').describe('How the advertiser is taxed.'),
  tax_exemption_id: text({ max: 255 }).describe('Number of a tax exemption.'),
  tax_id: text({ max: 255 }).describe('Tax number.'),
} satisfies Fields;

const taxSettings = resource({
  name: 'tax_setting',
  plural: 'tax_settings',
  label: 'Tax settings',
  description: 'How an account is invoiced and taxed.',
  scope: 'account',
  operations: [],
  roles: { read: CAMPAIGN_READERS, write: ACCOUNT_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  idsFrom: 0,
  fields,
});

/** How an account is invoiced and taxed: one record for each account. @source campaigns 17 and 5.5 */
export const [getTaxSettings, updateTaxSettings] = singleRecordOperations({
  resource: taxSettings,
  replyNames: { address_name: 'address_company', client_address_name: 'client_address_company' },
  shared: {
    path: '/12/accounts/:account_id/tax_settings',
    group: 'tax_settings',
    groupDescription: taxSettings.description,
  },
  get: { description: 'How the account is invoiced and taxed.', roles: taxSettings.roles.read, problems: [] },
  update: {
    description: 'Change how the account is invoiced and taxed.',
    roles: taxSettings.roles.write,
    problems: [],
  },
  key: async (_, call) => ({ account: call.account!.id, id: call.account!.id }),
});
