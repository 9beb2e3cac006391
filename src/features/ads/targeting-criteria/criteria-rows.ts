import { isInexact } from '../../../base/text.ts';
import { type Field, field, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../../contract/declare/roles.ts';
import { lineItemReference } from '../line-item-children.ts';
import { normalizeValue, targetingTypeField } from './criterion-values.ts';

const fields = {
  line_item_id: lineItemReference('Line item.'),
  targeting_type: targetingTypeField().required().createOnly().describe('Targeting type.'),
  // The reference gives no maximum for keywords; names have this one. @source decision 148
  targeting_value: textOrNumber({ max: 255 })
    .required()
    .createOnly()
    .describe('Targeting value, as its type has them (protocol, campaigns 10.3).'),
  // The default also applies when the value is empty or null. @source decision 178
  operator_type: oneOf('EQ', 'NE', 'GTE', 'LT')
    .resetsTo('EQ')
    .createOnly()
    .describe('Operator; the type determines which are allowed.'),
} satisfies Fields;

/** A stored targeting criterion. */
export type Criterion = RowOf<typeof fields>;

/** Targeting criteria without their rules, so that the rules can query them. */
export const criteriaRows = resource({
  name: 'targeting_criterion',
  plural: 'targeting_criteria',
  label: 'Targeting criterion',
  description: 'Whom the ads of a line item are shown to.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'TARGETING_CRITERION_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 5 * 10 },
  parentField: 'line_item_id',
  fields,
  derive: (row) => ({ targeting_value: normalizeValue(String(row.targeting_type), String(row.targeting_value)) }),
  unique: {
    key: (row) => [
      row.line_item_id,
      row.targeting_type,
      normalizeValue(String(row.targeting_type), String(row.targeting_value)),
      row.operator_type,
    ],
  },
});

/** A text; ids of reference data may be numbers. @source decision 1092 */
function textOrNumber({ max }: { max: number }): Field<string> {
  const { kind } = text({ max });
  return field({
    ...kind,
    read: (raw, parameter) => kind.read(typeof raw === 'number' && !isInexact(raw) ? String(raw) : raw, parameter),
  });
}
