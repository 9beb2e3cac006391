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

/** The payers of a booking. */
export function payersOf({ id, campaign, instrument }: Booking): Payers {
  return { line: id, campaign: campaign.id, instrument: instrument.id };
}

/** Those of them that limit a booking. */
export function limitingKeys(booking: Booking, day: string): readonly string[] {
  const { campaign, instrument, budget } = booking;
  const all = budgetKeys(payersOf(booking), day);
  const limits = [budget.total, budget.daily, campaign.budget.total, campaign.budget.daily, instrument.limit];
  return all.filter((_, place) => limits[place] !== null);
}
