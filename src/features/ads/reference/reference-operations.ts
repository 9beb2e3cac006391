import type { Operation } from '../../../contract/declare/operation.ts';
import { biddingRules } from './bidding-rules.ts';
import { advertiserBusinessCategoryList, contentCategoryList, iabCategoryList } from './category-lists.ts';
import { curatedCategoryList, getCuratedCategory } from './curated-categories.ts';
import { deviceLookup, platformLookup, platformVersionLookup, storeCategoryLookup } from './device-lookups.ts';
import { languageLookup, locationLookup, networkOperatorLookup } from './place-lookups.ts';
import { publisherList } from './publishers.ts';
import { marketLookup, showLookup } from './television-lookups.ts';
import { conversationLookup, eventLookup, interestLookup } from './topic-lookups.ts';

/** Operations of reference data other than targeting. @source advertising 3; campaigns 6 */
export const referenceOperations: readonly Operation[] = [
  biddingRules,
  contentCategoryList,
  advertiserBusinessCategoryList,
  iabCategoryList,
  curatedCategoryList,
  getCuratedCategory,
  publisherList,
];

/** Look-ups of targeting values. @source campaigns 11 */
export const targetingLookups: readonly Operation[] = [
  storeCategoryLookup,
  conversationLookup,
  deviceLookup,
  eventLookup,
  interestLookup,
  languageLookup,
  locationLookup,
  networkOperatorLookup,
  platformVersionLookup,
  platformLookup,
  marketLookup,
  showLookup,
];
