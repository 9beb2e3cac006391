import { Type } from '../../../base/json-schema.ts';
import { code } from '../../../contract/declare/codes.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { CURRENCIES, minimumDenomination } from '../currencies.ts';
import { lookupOperation } from './lookup-operation.ts';

interface BiddingRule {
  readonly currency: string;
  readonly minimum_cpe_bid_local_micro: number;
  readonly maximum_cpe_bid_local_micro: number;
  readonly minimum_denomination: number;
}

const LEAST_BID = 10_000;

/** Minimum and maximum bids by currency. @source advertising 3; campaigns 6.1 */
export const biddingRules: Operation = lookupOperation<BiddingRule>({
  name: 'bidding_rules',
  path: '/12/bidding_rules',
  description: 'List the minimum and maximum bid of each currency, and its smallest unit.',
  group: 'bidding_rules',
  rate: 'global_reads',
  filters: {
    currency: {
      field: code({ letters: 3 }).describe('Only this currency (ISO 4217).'),
      matches: (row, currency) => row.currency === currency,
    },
  },
  example: { currency: 'JPY' },
  paging: { is: 'whole' },
  row: Type.Closed({
    currency: Type.String(),
    minimum_cpe_bid_local_micro: Type.Integer(),
    maximum_cpe_bid_local_micro: Type.Integer(),
    minimum_denomination: Type.Integer(),
  }),
  rows: () => CURRENCIES.map(ruleOf),
});

/** The least and the largest bid of a currency, and its smallest unit, in micro units. */
export function bidLimits(currency: string): { readonly least: number; readonly most: number; readonly unit: number } {
  const rule = ruleOf(currency);
  return {
    least: rule.minimum_cpe_bid_local_micro,
    most: rule.maximum_cpe_bid_local_micro,
    unit: rule.minimum_denomination,
  };
}

/** Currencies without decimals have a maximum that is a hundred times larger. */
function ruleOf(currency: string): BiddingRule {
  const unit = minimumDenomination(currency);
  return {
    currency,
    minimum_cpe_bid_local_micro: Math.max(LEAST_BID, unit),
    maximum_cpe_bid_local_micro: unit === 1_000_000 ? 100_000_000_000 : 1_000_000_000,
    minimum_denomination: unit,
  };
}
