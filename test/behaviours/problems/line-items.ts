import type { Reply } from '../../rig/client.ts';
import { type Case, campaign, home, instrument, invalid, LINE_ITEMS, own, type Params, world } from './setting.ts';

/** A line item on a campaign of its own. */
async function line(params: Params, campaign_id?: string): Promise<Reply> {
  const above = campaign_id ?? (await newCampaign());
  return own('POST', '/line_items', { ...NEEDED, campaign_id: above, ...params });
}

const NEEDED = {
  objective: 'REACH',
  product_type: 'PROMOTED_POSTS',
  placements: 'ALL_ON_SERVICE',
  entity_status: 'PAUSED',
};

async function newCampaign(): Promise<string> {
  const paidBy = await instrument({ type: 'CREDIT_CARD' });
  return (await own('POST', '/campaigns', campaign({ funding_instrument_id: paidBy }))).body.data.id;
}

let full = '';

/** Problems of line items. */
export const lineItemProblems: readonly Case[] = [
  {
    name: 'LINE_ITEM_NOT_FOUND',
    input: 'a line item that there is not',
    send: () => own('GET', '/line_items/8zz1q'),
    status: 404,
    errors: [
      {
        code: 'LINE_ITEM_NOT_FOUND',
        message: 'Line item 8zz1q was not found',
        parameter: 'line_item_id',
        value: '8zz1q',
      },
    ],
  },
  {
    name: 'NOT_SETTABLE',
    input: 'whose advertising it is',
    send: () => line({ advertiser_user_id: 1 }),
    status: 400,
    errors: [invalid('advertiser_user_id', 'setting advertiser_user_id is not allowed')],
  },
  {
    name: 'INVALID_PLACEMENT_TYPE',
    input: 'a placement of takeovers',
    send: () => line({ placements: 'SPOTLIGHT' }),
    status: 400,
    errors: [
      { code: 'INVALID_PLACEMENT_TYPE', message: 'Placement SPOTLIGHT is not available', parameter: 'placements' },
    ],
  },
  {
    name: 'INCLUSIVE_PARAMETERS',
    input: 'a cap without days',
    async send() {
      await own('POST', '/features', { feature_keys: 'REACH_FREQUENCY_CAP' });
      const reply = await line({ frequency_cap: 2 });
      await world.sandbox.call('DELETE', `${home.path}/features?feature_keys=REACH_FREQUENCY_CAP`);
      return reply;
    },
    status: 400,
    errors: [
      {
        code: 'INCLUSIVE_PARAMETERS',
        message: 'frequency_cap and duration_in_days are inclusive parameters',
        parameter: 'duration_in_days',
      },
    ],
  },
  {
    name: 'FEATURE_NOT_AVAILABLE',
    input: 'a cap on an account without the feature',
    send: () => line({ frequency_cap: 2, duration_in_days: 7 }),
    status: 400,
    errors: () => [
      {
        code: 'FEATURE_NOT_AVAILABLE',
        message: `Feature REACH_FREQUENCY_CAP is not available for account ${home.account}`,
        parameter: 'frequency_cap',
      },
    ],
  },
  {
    name: 'INVALID_IAB_CATEGORY',
    input: 'a category that there is not',
    send: () => line({ categories: 'IAB99' }),
    status: 404,
    errors: [
      {
        code: 'INVALID_IAB_CATEGORY',
        message: 'IAB category IAB99 was not found',
        parameter: 'categories',
        value: 'IAB99',
      },
    ],
  },
  {
    name: 'TOO_MANY_LINE_ITEMS',
    input: 'a third line item of a campaign that may have two',
    async send() {
      full = await newCampaign();
      await line({}, full);
      await line({}, full);
      return line({}, full);
    },
    status: 400,
    errors: () => [
      {
        code: 'TOO_MANY_LINE_ITEMS',
        message: `Campaign ${full} cannot have more than ${LINE_ITEMS.campaign_line_items_max} line items`,
        parameter: 'campaign_id',
      },
    ],
  },
  {
    name: 'TOO_MANY_ACTIVE_LINE_ITEMS',
    input: 'a second active line item where one may be',
    async send() {
      const first = await line({ entity_status: 'ACTIVE' });
      const reply = await line({ entity_status: 'ACTIVE' });
      await own('DELETE', `/line_items/${first.body.data.id}`);
      return reply;
    },
    status: 400,
    errors: () => [
      {
        code: 'TOO_MANY_LINE_ITEMS',
        message: `Account ${home.account} cannot have more than ${LINE_ITEMS.active_line_items_max} active line items`,
        parameter: 'entity_status',
      },
    ],
  },
];
