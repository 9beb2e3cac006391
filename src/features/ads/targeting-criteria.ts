import { text } from '../../contract/declare/fields.ts';
import { resource } from '../../contract/declare/resource.ts';
import { audiencesAreUsable, noAudienceBesideItsLike } from './targeting-criteria/audiences.ts';
import { contentCategoriesAreWhole } from './targeting-criteria/content-categories.ts';
import { engagementsArePaired, noBroaderPlatform, noCuratedCategory } from './targeting-criteria/cross-checks.ts';
import { withinLimits } from './targeting-criteria/limits.ts';
import { shownNames } from './targeting-criteria/names.ts';
import { criteria } from './targeting-criteria/rows.ts';
import { showsAreInTheirMarket } from './targeting-criteria/shows.ts';
import { comesByBatch, pointsSomewhere } from './targeting-criteria/targets.ts';
import { isMeaningful } from './targeting-criteria/values.ts';

/**
 * Targeting criteria: whom a line item is shown to. Primary ones are united with each other, others narrow them down.
 * @source advertising: Audience estimate and targeting; campaigns 10
 */
export const targetingCriteria = resource({
  ...criteria,
  rules: [isMeaningful],
  wholeRules: [
    comesByBatch,
    pointsSomewhere,
    audiencesAreUsable,
    noAudienceBesideItsLike,
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
