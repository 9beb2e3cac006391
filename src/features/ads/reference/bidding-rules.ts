import { Type } from '../../../base/json-schema.ts';
import { code } from '../../../contract/declare/codes.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { CURRENCIES, minimumDenomination } from '../currencies.ts';
import { lookupOperation } from './lookup-operation.ts';

const LEAST_BID = 10_000;

/** Minimum and maximum bids by currency. @source advertising 3; campaigns 6.1 */
export const biddingRules: Operation = lookupOperation({
  name: 'bidding_rules',
  description: 'List the minimum and maximum bid of each currency, and its smallest unit.',
  filters: {
    currency: {
      field: code({ letters: 3 }).describe('Only this currency (ISO 4217).'),
      matches: (row, currency) => row.currency === currency,
    },
  },
  example: { currency: 'JPY' },
  row: Type.Closed({
    currency: Type.String(),
    minimum_cpe_bid_local_micro: Type.Integer(),
    maximum_cpe_bid_local_micro: Type.Integer(),
    minimum_denomination: Type.Integer(),
  }),
  rows: () =>
    CURRENCIES.map((currency) => {
      const { least, most, unit } = bidLimits(currency);
      return {
        currency,
        minimum_cpe_bid_local_micro: least,
        maximum_cpe_bid_local_micro: most,
        minimum_denomination: unit,
      };
    }),
});

/** Returns the minimum and maximum bid of a currency, and its smallest unit, in micro units. */
export function bidLimits(currency: string): { readonly least: number; readonly most: number; readonly unit: number } {
  const unit = minimumDenomination(currency);
  // Currencies without decimals have a maximum that is a hundred times larger.
  return { least: Math.max(LEAST_BID, unit), most: unit === 1_000_000 ? 100_000_000_000 : 1_000_000_000, unit };
}
