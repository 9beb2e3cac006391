import { oneOf, reference, text } from '../contract/fields.ts';
import { type Fields, type RowOf, resource } from '../contract/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../contract/roles.ts';
import { lineItems } from './line-items.ts';
import { contentCategoriesAreWhole } from './targeting-criteria/content-categories.ts';
import { engagementsArePaired, noBroaderPlatform, noCuratedCategory } from './targeting-criteria/cross-checks.ts';
import { withinLimits } from './targeting-criteria/limits.ts';
import { shownNames } from './targeting-criteria/names.ts';
import { showsAreInTheirMarket } from './targeting-criteria/shows.ts';
import { comesByBatch, pointsSomewhere } from './targeting-criteria/targets.ts';
import { isMeaningful, storedValue, typeName } from './targeting-criteria/values.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .says('The line item that it is for.'),
  targeting_type: typeName().required().createOnly().says('What it looks at.'),
  targeting_value: text({ max: 255 }).required().createOnly().says('What it looks for, among the values of the type.'),
  operator_type: oneOf('EQ', 'NE', 'GTE', 'LT')
    .defaults('EQ')
    .createOnly()
    .says('Which operators a type takes depends on it.'),
} satisfies Fields;

/** A stored targeting criterion. */
export type Criterion = RowOf<typeof fields>;

/**
 * Targeting criteria: whom a line item is shown to. Primary ones are united with each other, others narrow them down.
 * @source advertising: Audience estimate and targeting; campaigns 10
 */
export const targetingCriteria = resource({
  name: 'targeting_criterion',
  plural: 'targeting_criteria',
  label: 'Targeting criterion',
  about: 'Whom a line item is shown to.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'remove'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'TARGETING_CRITERION_NOT_FOUND',
  rate: 'account_reads',
  idsFrom: 36 ** 5 * 10,
  under: 'line_item_id',
  fields,
  settled: (row) => ({ targeting_value: storedValue(String(row.targeting_type), String(row.targeting_value)) }),
  onePer: (row) => [
    row.line_item_id,
    row.targeting_type,
    storedValue(String(row.targeting_type), String(row.targeting_value)),
    row.operator_type,
  ],
  rules: [isMeaningful],
  wholeRules: [
    comesByBatch,
    pointsSomewhere,
    withinLimits,
    noBroaderPlatform,
    showsAreInTheirMarket,
    noCuratedCategory,
    engagementsArePaired,
    contentCategoriesAreWhole,
  ],
  raisesOnCreate: [
    'INVALID',
    'NOT_IN_ENUM',
    'NOT_LONG',
    'OUT_OF_RANGE',
    'NOT_AN_ID',
    'INVALID_TARGETING_TYPE',
    'NOT_A_TARGETING_VALUE',
    'TAILORED_AUDIENCE_NOT_FOUND',
    'INVALID_IAB_CATEGORY',
    'CAMPAIGN_NOT_FOUND',
    'PROMOTABLE_USER_NOT_FOUND',
    'TOO_MANY_CRITERIA',
    'INVALID_TV_SHOW_LOCATIONS',
    'TV_SHOW_OUTSIDE_MARKET',
  ],
  showing: { lang: text({ max: 35 }).says('A language, for `localized_name` where there is a translation.') },
  list: { mustFilterBy: ['line_item_ids'] },
  batch: { max: 500 },
  history: 'TARGETING_CRITERIA',
  computed: shownNames,
});
