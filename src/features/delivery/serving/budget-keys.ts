import type { Booking } from '../bookings.ts';

/** The identifiers of a line item and of those who pay for it. */
export interface Payers {
  readonly line: string;
  readonly campaign: string;
  readonly instrument: string;
}

/** The names of the budgets of a line item on a local day. @source decision 982 */
export function budgetKeys({ line, campaign, instrument }: Payers, day: string): readonly string[] {
  return [
    `line_item/${line}/total`,
    `line_item/${line}/${day}`,
    `campaign/${campaign}/total`,
    `campaign/${campaign}/${day}`,
    `funding_instrument/${instrument}/total`,
  ];
}

/** Those of them that limit a booking. */
export function limitingKeys({ id, campaign, instrument, budget }: Booking, day: string): readonly string[] {
  const all = budgetKeys({ line: id, campaign: campaign.id, instrument: instrument.id }, day);
  const limits = [budget.total, budget.daily, campaign.budget.total, campaign.budget.daily, instrument.limit];
  return all.filter((_, place) => limits[place] !== null);
}
