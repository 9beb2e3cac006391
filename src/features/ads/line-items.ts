import Type from 'typebox';
import {
  boolean,
  digits,
  id,
  instant,
  integer,
  listOf,
  micros,
  oneOf,
  oneOfNumbers,
  reference,
  text,
} from '../../contract/declare/fields.ts';
import { atMost, type Fields, neverBackTo, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../../contract/declare/roles.ts';
import { alwaysNull } from '../../contract/declare/unwritten-fields.ts';
import { campaigns } from './campaigns.ts';
import { biddingIsAllowed, bidHasAmount, deriveBidding } from './line-items/bidding.ts';
import {
  amountsFitCurrency,
  deriveDelivery,
  inheritFromCampaign,
  matchesSiblings,
  withinCampaignBudget,
} from './line-items/campaign-rules.ts';
import { categoriesAreValid, completeCategories } from './line-items/categories.ts';
import {
  domainIsValid,
  flightDatesAreValid,
  frequencyCapIsAllowed,
  hasDependentFields,
  productTypeFitsObjective,
} from './line-items/field-rules.ts';
import { BID_STRATEGIES, GOALS, OBJECTIVE_NAMES, PAY_BY } from './line-items/objectives.ts';
import { orderPlacements, PRODUCT_TYPES, placementList, placementsAreAllowed } from './line-items/placements.ts';
import { registerNamedApps, targetAppPlatforms } from './line-items/store-apps.ts';

const CAP_MAX = 1_000_000;
const CATEGORIES_MAX = 1000;

const fields = {
  campaign_id: reference(() => campaigns, { locked: true })
    .required()
    .createOnly()
    .filteredBy('campaign_ids')
    .describe('The campaign that it belongs to.'),
  name: text({ max: 255 }).sortable().describe('Shown to people; need not be unique.'),
  objective: oneOf(...OBJECTIVE_NAMES)
    .required()
    .createOnly()
    .describe('What it aims at; the same for all line items of a campaign.'),
  product_type: oneOf(...PRODUCT_TYPES)
    .required()
    .createOnly()
    .describe('What is promoted; the same for all line items of a campaign.'),
  placements: placementList()
    .required()
    .createOnly()
    .describe('Where it is shown: one of the sets of its product type.'),
  entity_status: oneOf('ACTIVE', 'PAUSED', 'DRAFT').defaults('ACTIVE').describe('Whether it is switched on.'),
  start_time: instant().sortable().describe('From when on it is shown.'),
  end_time: instant().sortable().describe('Until when it is shown.'),
  bid_strategy: oneOf(...BID_STRATEGIES)
    .derived()
    .describe('Bids by itself, never above the bid, or near it on average.'),
  bid_amount_local_micro: micros().sortable().describe('Micro units; needed unless bids are automatic.'),
  goal: oneOf(...GOALS)
    .derived()
    .describe('What bids are optimized for, among those of the objective.'),
  pay_by: oneOf(...PAY_BY)
    .derived()
    .describe('What is paid for, among those of objective and goal.'),
  daily_budget_amount_local_micro: micros().describe('At most the total budget; micro units.'),
  total_budget_amount_local_micro: micros().describe('At most that of the campaign; micro units.'),
  standard_delivery: boolean().describe(
    'Even spending over the day; true unless switched off where line items hold budgets.',
  ),
  frequency_cap: integer({ min: 1, max: CAP_MAX }).describe('How often one person is reached in `duration_in_days`.'),
  duration_in_days: oneOfNumbers(1, 7, 30).describe('The days that `frequency_cap` counts in.'),
  audience_expansion: oneOf('DEFINED', 'EXPANDED', 'BROAD').describe('How far beyond its audience it may reach.'),
  advertiser_domain: text({ max: 253 }).describe('Without a scheme; needed on the publisher network.'),
  categories: listOf(text({ max: 64 }), { min: 0, max: CATEGORIES_MAX }).describe(
    'IAB categories of what is advertised.',
  ),
  primary_web_event_tag: id().describe('The event that conversions on a website are counted by.'),
  android_store_identifier: text({ max: 255 }).describe('Name of the package of an application.'),
  ios_store_identifier: digits({ max: 20 }).describe('Number of an application.'),
  advertiser_user_id: text({ max: 20 }).refused().describe('Whose advertising it is.'),
  target_cpa_local_micro: alwaysNull(Type.Integer()).describe('Kept for old clients.'),
  creative_source: oneOf('MANUAL').readOnly().defaults('MANUAL').describe('Who chooses what is shown.'),
  automatic_post_promotion: alwaysNull(Type.Boolean()).describe('Kept for old clients.'),
  funding_instrument_id: id().readOnly().required().filteredBy('funding_instrument_ids').describe('Who pays.'),
  currency: text({ max: 3 }).readOnly().required().describe('Of the funding instrument.'),
} satisfies Fields;

/** A stored line item. */
export type LineItem = RowOf<typeof fields>;

/**
 * Line items: what a campaign shows, to whom, for how much, from when to when.
 * @source advertising: Line items, Limits; campaigns 9
 */
export const lineItems = resource({
  name: 'line_item',
  plural: 'line_items',
  label: 'Line item',
  description: 'What a campaign shows, to whom, for how much, from when to when.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'activate', 'remove'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'LINE_ITEM_NOT_FOUND',
  rate: 'account_reads',
  idsFrom: 36 ** 4 * 24,
  parentField: 'campaign_id',
  fields,
  derive: async (row, change) => ({
    placements: orderPlacements(row.product_type, row.placements),
    categories: completeCategories(row),
    ...deriveBidding(row, change),
    ...(await deriveDelivery(row, change)),
    ...(await inheritFromCampaign(row, change)),
  }),
  rules: [
    matchesSiblings,
    productTypeFitsObjective,
    placementsAreAllowed,
    neverBackTo('entity_status', 'DRAFT', 'A line item cannot become a draft again'),
    flightDatesAreValid,
    biddingIsAllowed,
    bidHasAmount,
    atMost(
      'daily_budget_amount_local_micro',
      'total_budget_amount_local_micro',
      'Daily budget cannot exceed the total budget',
    ),
    withinCampaignBudget,
    amountsFitCurrency,
    frequencyCapIsAllowed,
    hasDependentFields,
    domainIsValid,
    categoriesAreValid,
  ],
  problems: [
    'INVALID',
    'NOT_IN_ENUM',
    'MISSING_PARAMETER',
    'INVALID_DENOMINATION',
    'FEATURE_NOT_AVAILABLE',
    'INCLUSIVE_PARAMETERS',
    'TOO_FEW_ITEMS',
    'INVALID_IAB_CATEGORY',
  ],
  quotas: [
    {
      where: {},
      per: 'campaign_id',
      setting: 'campaign_line_items_max',
      problem: 'TOO_MANY_LINE_ITEMS',
      parameter: 'campaign_id',
    },
    {
      where: { entity_status: 'ACTIVE' },
      setting: 'active_line_items_max',
      problem: 'TOO_MANY_ACTIVE_LINE_ITEMS',
      parameter: 'entity_status',
    },
  ],
  cascadeCreate: [registerNamedApps, targetAppPlatforms],
  list: { search: 'name', drafts: { field: 'entity_status', value: 'DRAFT' } },
  batch: { max: 40 },
  historyEntity: 'LINE_ITEM',
});
