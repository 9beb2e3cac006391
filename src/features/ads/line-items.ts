import { Type } from '../../base/json-schema.ts';
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
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import { atMost, neverBackTo } from '../../contract/declare/rules.ts';
import { alwaysNull } from '../../contract/declare/unwritten-fields.ts';
import { campaigns } from './campaigns.ts';
import { biddingIsAllowed, bidHasAmount, deriveBidding } from './line-items/bidding.ts';
import {
  amountsFitCurrency,
  coversSpend,
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

/** Maximum of a frequency cap; the reference has only a minimum. @source decision 175 */
const CAP_MAX = 1_000_000;
const CATEGORIES_MAX = 1000;

const fields = {
  campaign_id: reference(() => campaigns, { locked: true })
    .required()
    .createOnly()
    .filteredBy('campaign_ids')
    .describe('Campaign of the line item.'),
  name: text({ max: 255 }).sortable().describe('Display name; need not be unique.'),
  objective: oneOf(...OBJECTIVE_NAMES)
    .required()
    .createOnly()
    .describe('Objective; the same for all line items of a campaign.'),
  product_type: oneOf(...PRODUCT_TYPES)
    .required()
    .createOnly()
    .describe('Product type; the same for all line items of a campaign.'),
  placements: placementList()
    .required()
    .createOnly()
    .describe('Placements: one of the sets of the product type (protocol, campaigns 9.4).'),
  entity_status: oneOf('ACTIVE', 'PAUSED', 'DRAFT')
    .defaults('ACTIVE')
    .describe('Status set by the advertiser. Only so many line items of an account may be `ACTIVE`: see the errors.'),
  start_time: instant().sortable().describe('Start of the flight; a date means midnight UTC.'),
  end_time: instant().sortable().describe('End of the flight; a date means midnight UTC.'),
  bid_strategy: oneOf(...BID_STRATEGIES)
    .derived()
    .describe('`AUTO` sets bids automatically, `MAX` never bids above the bid amount, `TARGET` averages it.'),
  bid_amount_local_micro: micros()
    .sortable()
    .describe('Bid in micro units; required unless the bid strategy is `AUTO`.'),
  goal: oneOf(...GOALS)
    .derived()
    .describe('Optimization goal, one of those of the objective (protocol, campaigns 9.3).'),
  pay_by: oneOf(...PAY_BY)
    .derived()
    .describe('Billable event, one of those of the objective and goal (protocol, campaigns 9.3).'),
  daily_budget_amount_local_micro: micros().describe('Daily budget in micro units; at most the total budget.'),
  total_budget_amount_local_micro: micros().describe('Total budget in micro units; at most that of the campaign.'),
  standard_delivery: boolean().describe(
    'Even pacing over the day; default true when budgets are optimized per line item.',
  ),
  frequency_cap: integer({ min: 1, max: CAP_MAX }).describe(
    'Maximum impressions per person within `duration_in_days`.',
  ),
  duration_in_days: oneOfNumbers(1, 7, 30).describe('Period of `frequency_cap` in days.'),
  audience_expansion: oneOf('DEFINED', 'EXPANDED', 'BROAD').describe(
    'How far delivery may expand beyond the targeted audience.',
  ),
  advertiser_domain: text({ max: 253 }).describe('Domain without a scheme; required for the publisher network.'),
  categories: listOf(text({ max: 64 }), { min: 0, max: CATEGORIES_MAX }).describe(
    'IAB categories of the advertised product.',
  ),
  // It need not exist. @source decision 992
  primary_web_event_tag: id().describe('Web event tag that measures website conversions; only existing tags measure.'),
  // Any text: there is no store to look it up in. @source decision 174
  android_store_identifier: text({ max: 255 }).describe('Package name of an Android app.'),
  // Anything but digits gets the nearest published message. @source decision 128
  ios_store_identifier: digits({ max: 20 }).describe('Numeric id of an iOS app.'),
  advertiser_user_id: text({ max: 20 }).refused().describe('User whom the account advertises.'),
  target_cpa_local_micro: alwaysNull(Type.Integer()).describe('Always null; kept for older clients.'),
  creative_source: oneOf('MANUAL').readOnly().defaults('MANUAL').describe('How creatives are selected.'),
  automatic_post_promotion: alwaysNull(Type.Boolean()).describe('Always null; kept for older clients.'),
  funding_instrument_id: id()
    .readOnly()
    .required()
    .filteredBy('funding_instrument_ids')
    .describe('Funding instrument that pays.'),
  currency: text({ max: 3 }).readOnly().required().describe('Currency of the funding instrument.'),
} satisfies Fields;

/** A stored line item. */
export type LineItem = RowOf<typeof fields>;

/**
 * Line items: objective, placements, bid, budget, flight and targeting of the ads of a campaign.
 * @source advertising 6, 23; campaigns 9
 */
export const lineItems = resource({
  name: 'line_item',
  plural: 'line_items',
  label: 'Line item',
  description: 'Objective, placements, bid, budget and flight of ads within a campaign.',
  scope: 'account',
  storage: { isCached: true },
  operations: ['list', 'get', 'create', 'update', 'activate', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'LINE_ITEM_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 4 * 24 },
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
    coversSpend,
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
  updateProblems: ['SPEND_EXCEEDS_BUDGET'],
  // The reference has no wording for either limit. @source decision 132
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
  effects: { cascades: [registerNamedApps, targetAppPlatforms] },
  list: { search: 'name', drafts: { field: 'entity_status', value: 'DRAFT' } },
  batch: { max: 40 },
  settlesDelivery: 'always',
  historyEntity: 'LINE_ITEM',
});
