// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import {
  check,
  type Expected,
  idOf,
  type LineItemFixture,
  lineItemCalls,
  type ObjectiveName,
  type Params,
} from './line-item-calls.ts';

let world: World;
let place: LineItemFixture;
const { open, create, change } = lineItemCalls(() => world);
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', active_campaigns_max: 8000, active_line_items_max: 8000 },
  });
  place = await open();
});
after(() => world.close());

const BID = { bid_amount_local_micro: 2_000_000 };
const bidding = (bid_strategy: string, goal: string, pay_by: string) => ({ bid_strategy, goal, pay_by });

/** @source campaigns 9.3 */
const biddings: readonly (readonly [ObjectiveName, Params, Expected])[] = [
  // What each objective does when nothing is said, and what a bid alone does.
  ['APP_ENGAGEMENTS', {}, bidding('AUTO', 'APP_CLICKS', 'APP_CLICK')],
  ['APP_ENGAGEMENTS', BID, bidding('MAX', 'APP_CLICKS', 'APP_CLICK')],
  ['APP_INSTALLS', {}, bidding('AUTO', 'APP_CLICKS', 'APP_CLICK')],
  ['APP_INSTALLS', BID, bidding('MAX', 'APP_CLICKS', 'APP_CLICK')],
  ['ENGAGEMENTS', {}, bidding('AUTO', 'ENGAGEMENT', 'ENGAGEMENT')],
  ['ENGAGEMENTS', BID, bidding('MAX', 'ENGAGEMENT', 'ENGAGEMENT')],
  ['FOLLOWERS', {}, bidding('AUTO', 'FOLLOWERS', 'FOLLOW')],
  ['FOLLOWERS', BID, bidding('TARGET', 'FOLLOWERS', 'FOLLOW')],
  ['PREROLL_VIEWS', {}, bidding('AUTO', 'PREROLL', 'VIEW_3S_100PCT')],
  ['PREROLL_VIEWS', BID, bidding('MAX', 'PREROLL', 'VIEW_3S_100PCT')],
  ['REACH', {}, bidding('AUTO', 'MAX_REACH', 'IMPRESSION')],
  ['REACH', BID, bidding('TARGET', 'MAX_REACH', 'IMPRESSION')],
  ['VIDEO_VIEWS', {}, bidding('AUTO', 'VIDEO_VIEW', 'VIEW')],
  ['VIDEO_VIEWS', BID, bidding('MAX', 'VIDEO_VIEW', 'VIEW')],
  ['WEBSITE_CLICKS', {}, bidding('AUTO', 'LINK_CLICKS', 'IMPRESSION')],
  ['WEBSITE_CLICKS', BID, bidding('MAX', 'LINK_CLICKS', 'IMPRESSION')],
  // How each goal is paid for.
  ['APP_ENGAGEMENTS', { goal: 'APP_INSTALLS' }, { pay_by: 'IMPRESSION' }],
  ['APP_ENGAGEMENTS', { goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS' }, { pay_by: 'IMPRESSION' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', { goal: 'APP_PURCHASES' }, { pay_by: 'IMPRESSION' }],
  ['PREROLL_VIEWS', { goal: 'PREROLL_STARTS' }, { pay_by: 'IMPRESSION' }],
  ['PREROLL_VIEWS', { goal: 'VIDEO_VIEW' }, { pay_by: 'VIEW_3S_100PCT' }],
  ['PREROLL_VIEWS', { goal: 'VIEW_3S_100PCT' }, { pay_by: 'VIEW_3S_100PCT' }],
  ['PREROLL_VIEWS', { goal: 'VIEW_6S' }, { pay_by: 'VIEW_3S_100PCT' }],
  ['PREROLL_VIEWS', { goal: 'VIEW_15S' }, { pay_by: 'VIEW_3S_100PCT' }],
  ['REACH', { goal: 'REACH_WITH_ENGAGEMENT' }, { pay_by: 'IMPRESSION' }],
  ['VIDEO_VIEWS', { goal: 'VIEW_3S_100PCT' }, { pay_by: 'VIEW_3S_100PCT' }],
  ['VIDEO_VIEWS', { goal: 'VIEW_6S' }, { pay_by: 'IMPRESSION' }],
  ['VIDEO_VIEWS', { goal: 'VIEW_15S' }, { pay_by: 'IMPRESSION' }],
  ['WEBSITE_CLICKS', { goal: 'SITE_VISITS' }, { pay_by: 'IMPRESSION' }],
  ['WEBSITE_CLICKS', { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o2n4' }, { pay_by: 'IMPRESSION' }],
  ['WEBSITE_CLICKS', { pay_by: 'LINK_CLICK' }, { pay_by: 'LINK_CLICK' }],
  ['WEBSITE_CLICKS', { ...BID, bid_strategy: 'TARGET' }, { pay_by: 'LINK_CLICK' }],
  ['WEBSITE_CLICKS', { ...BID, bid_strategy: 'TARGET', pay_by: 'IMPRESSION' }, ['INVALID_PARAMETER pay_by']],
  // Who may set a target beside those for whom it is the default.
  ['APP_ENGAGEMENTS', { ...BID, bid_strategy: 'TARGET' }, bidding('TARGET', 'APP_CLICKS', 'APP_CLICK')],
  ['APP_INSTALLS', { ...BID, bid_strategy: 'TARGET' }, bidding('TARGET', 'APP_CLICKS', 'APP_CLICK')],
  ['WEBSITE_CLICKS', { ...BID, bid_strategy: 'TARGET', goal: 'SITE_VISITS' }, { pay_by: 'IMPRESSION' }],
  // What an objective does not have.
  ['ENGAGEMENTS', { ...BID, bid_strategy: 'TARGET' }, ['INVALID_PARAMETER bid_strategy']],
  ['VIDEO_VIEWS', { ...BID, bid_strategy: 'TARGET' }, ['INVALID_PARAMETER bid_strategy']],
  ['PREROLL_VIEWS', { ...BID, bid_strategy: 'TARGET' }, ['INVALID_PARAMETER bid_strategy']],
  ['REACH', { ...BID, bid_strategy: 'MAX' }, ['INVALID_PARAMETER bid_strategy']],
  ['FOLLOWERS', { ...BID, bid_strategy: 'MAX' }, ['INVALID_PARAMETER bid_strategy']],
  ['ENGAGEMENTS', { goal: 'LINK_CLICKS' }, ['INVALID_PARAMETER goal']],
  ['APP_ENGAGEMENTS', { goal: 'APP_PURCHASES' }, ['INVALID_PARAMETER goal']],
  ['ENGAGEMENTS', { pay_by: 'IMPRESSION' }, ['INVALID_PARAMETER pay_by']],
  ['APP_INSTALLS', { pay_by: 'APP_INSTALL' }, ['INVALID_PARAMETER pay_by']],
  ['APP_INSTALLS', { goal: 'APP_CLICKS', pay_by: 'IMPRESSION' }, ['INVALID_PARAMETER pay_by']],
  // Who bids says how much; who does not has no amount.
  ['ENGAGEMENTS', { bid_strategy: 'MAX' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['REACH', { bid_strategy: 'TARGET' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['ENGAGEMENTS', { ...BID, bid_strategy: 'AUTO' }, { bid_strategy: 'AUTO', bid_amount_local_micro: null }],
];

describe('bidding of a new line item', () => {
  for (const [objective, params, then] of biddings) {
    test(`${objective} ${JSON.stringify(params)} -> ${JSON.stringify(then)}`, async () => {
      check(await create(place, objective, params), then);
    });
  }

  test('a goal of another objective is rejected with the allowed ones', async () => {
    const reply = await create(place, 'REACH', { goal: 'FOLLOWERS' });
    assert.deepEqual(reply.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a value in MAX_REACH, REACH_WITH_ENGAGEMENT, got "FOLLOWERS" for goal',
        parameter: 'goal',
      },
    ]);
  });
});

/** Given a line item, then changed. @source campaigns 9.3 */
const changes: readonly (readonly [ObjectiveName, made: Params, change: Params, then: Expected])[] = [
  ['APP_INSTALLS', {}, { goal: 'APP_INSTALLS' }, { goal: 'APP_INSTALLS', pay_by: 'IMPRESSION' }],
  ['APP_INSTALLS', {}, { goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS' }, { goal: 'APP_CLICKS' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS' }, { goal: 'APP_CLICKS', pay_by: 'IMPRESSION' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', {}, { goal: 'APP_PURCHASES', pay_by: 'IMPRESSION' }, { pay_by: 'IMPRESSION' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, { name: 'x' }, { pay_by: 'APP_CLICK' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, { pay_by: '' }, { pay_by: 'IMPRESSION' }],
  ['APP_INSTALLS', { goal: 'APP_INSTALLS' }, { goal: '' }, { goal: 'APP_CLICKS', pay_by: 'APP_CLICK' }],
  ['ENGAGEMENTS', BID, { bid_strategy: 'AUTO' }, { bid_strategy: 'AUTO', bid_amount_local_micro: null }],
  ['ENGAGEMENTS', BID, { bid_strategy: 'AUTO', ...BID }, { bid_amount_local_micro: null }],
  ['ENGAGEMENTS', {}, { bid_strategy: 'MAX' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['ENGAGEMENTS', {}, { bid_strategy: 'MAX', ...BID }, { bid_strategy: 'MAX', ...BID }],
  ['ENGAGEMENTS', {}, BID, { bid_strategy: 'AUTO', bid_amount_local_micro: null }],
  ['ENGAGEMENTS', BID, { bid_amount_local_micro: '' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['ENGAGEMENTS', BID, { bid_amount_local_micro: '', bid_strategy: '' }, { bid_strategy: 'AUTO' }],
  ['WEBSITE_CLICKS', BID, { bid_strategy: 'TARGET' }, { bid_strategy: 'TARGET', pay_by: 'LINK_CLICK', ...BID }],
  ['WEBSITE_CLICKS', { ...BID, bid_strategy: 'TARGET' }, { bid_strategy: 'MAX' }, { pay_by: 'LINK_CLICK' }],
  ['REACH', {}, { goal: 'LINK_CLICKS' }, ['INVALID_PARAMETER goal']],
  ['REACH', BID, { bid_strategy: 'MAX' }, ['INVALID_PARAMETER bid_strategy']],
];

describe('bidding of an updated line item', () => {
  for (const [objective, made, input, then] of changes) {
    test(`${objective} ${JSON.stringify(made)}, ${JSON.stringify(input)} -> ${JSON.stringify(then)}`, async () => {
      check(await change(place, idOf(await create(place, objective, made)), input), then);
    });
  }
});
