import type { Booking } from '../bookings.ts';

/** The ids of a line item, and of the campaign and funding instrument that pay for it. */
export interface Payers {
  readonly line: string;
  readonly campaign: string;
  readonly instrument: string;
}

/** Returns the keys of the budgets of a line item on a local day. @source decision 982 */
export function budgetKeys({ line, campaign, instrument }: Payers, day: string): readonly string[] {
  return [
    `line_item/${line}/total`,
    `line_item/${line}/${day}`,
    `campaign/${campaign}/total`,
    `campaign/${campaign}/${day}`,
    `funding_instrument/${instrument}/total`,
  ];
}

/** Returns the payers of a booking. */
export function payersOf({ id, campaign, instrument }: Booking): Payers {
  return { line: id, campaign: campaign.id, instrument: instrument.id };
}

/** Returns the keys of the budgets of a booking that have a limit. */
export function limitingKeys(booking: Booking, day: string): readonly string[] {
  const { campaign, instrument, budget } = booking;
  const all = budgetKeys(payersOf(booking), day);
  const limits = [budget.total, budget.daily, campaign.budget.total, campaign.budget.daily, instrument.limit];
  return all.filter((_, place) => limits[place] !== null);
}
