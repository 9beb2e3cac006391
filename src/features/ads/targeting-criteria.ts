import { text } from '../../contract/declare/fields.ts';
import { resource } from '../../contract/declare/resource.ts';
import {
  contentCategoriesAreComplete,
  engagementsArePaired,
  noBroaderPlatform,
  noIabCategoryWithCurated,
  tvShowsMatchLocations,
} from './targeting-criteria/combination-rules.ts';
import { criteriaRows } from './targeting-criteria/criteria-rows.ts';
import { criterionNames } from './targeting-criteria/criterion-names.ts';
import { criterionIsValid } from './targeting-criteria/criterion-values.ts';
import { withinTypeLimits } from './targeting-criteria/limit-rules.ts';
import {
  audiencesAreTargetable,
  batchOnlyTypes,
  noAudienceWithItsLookalike,
  targetsExist,
} from './targeting-criteria/target-rules.ts';

/**
 * Targeting criteria of line items. Primary criteria are combined with OR; others narrow them down.
 * @source advertising 8; campaigns 10
 */
export const targetingCriteria = resource({
  ...criteriaRows,
  rules: [criterionIsValid],
  changeSetRules: [
    batchOnlyTypes,
    targetsExist,
    audiencesAreTargetable,
    noAudienceWithItsLookalike,
    withinTypeLimits,
    noBroaderPlatform,
    tvShowsMatchLocations,
    noIabCategoryWithCurated,
    engagementsArePaired,
    contentCategoriesAreComplete,
  ],
  createProblems: [
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
  settlesDelivery: 'always',
  requests: {
    viewParameters: {
      lang: text({ max: 35 }).describe('Language (BCP 47) of `localized_name`.'),
    },
  },
  list: { requiredFilters: ['line_item_ids'] },
  batch: { max: 500 },
  historyEntity: 'TARGETING_CRITERIA',
  computed: criterionNames,
});
