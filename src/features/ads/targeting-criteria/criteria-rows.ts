import { field, oneOf, reference, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../../../contract/declare/roles.ts';
import { lineItems } from '../line-items.ts';
import { normalizeValue, targetingTypeField } from './criterion-values.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('The line item that it is for.'),
  targeting_type: targetingTypeField().required().createOnly().describe('What it looks at.'),
  targeting_value: text({ max: 255 })
    .required()
    .createOnly()
    .describe('What it looks for, among the values of the type.'),
  operator_type: field(oneOf('EQ', 'NE', 'GTE', 'LT').kind, { defaultValue: 'EQ', emptyValue: 'EQ', isNullable: false })
    .createOnly()
    .describe('Which operators a type takes depends on it.'),
} satisfies Fields;

/** A stored targeting criterion. */
export type Criterion = RowOf<typeof fields>;

/** What targeting criteria are, without the rules over them: what rules, here and elsewhere, look into. */
export const criteriaRows = resource({
  name: 'targeting_criterion',
  plural: 'targeting_criteria',
  label: 'Targeting criterion',
  description: 'Whom a line item is shown to.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'remove'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'TARGETING_CRITERION_NOT_FOUND',
  rate: 'account_reads',
  idsFrom: 36 ** 5 * 10,
  parentField: 'line_item_id',
  fields,
  derive: (row) => ({ targeting_value: normalizeValue(String(row.targeting_type), String(row.targeting_value)) }),
  onePer: (row) => [
    row.line_item_id,
    row.targeting_type,
    normalizeValue(String(row.targeting_type), String(row.targeting_value)),
    row.operator_type,
  ],
});
