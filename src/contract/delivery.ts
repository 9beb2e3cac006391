/** What the live line items of a campaign amount to, as far as its servability depends on them: how many of them ... */
export interface LineItemsOfCampaign {
  /** ... there are. */
  readonly live: number;
  /** ... have not ended. */
  readonly unended: number;
  /** ... have not ended and have begun. */
  readonly begun: number;
  /** ... have a budget. */
  readonly budgeted: number;
  /** ... are no drafts and have something to show. */
  readonly ready: number;
  /** ... are active and have something to show. */
  readonly showing: number;
  /** ... are active and have something to show that was not rejected. */
  readonly accepted: number;
}

/** What campaigns deliver, over everything below them. */
export interface Delivery {
  /** For each of these campaigns that has live line items, what they amount to at a time (UTC text). One statement. */
  listLineItems(
    account: string,
    campaigns: readonly string[],
    now: string,
  ): Promise<ReadonlyMap<string, LineItemsOfCampaign>>;
}
