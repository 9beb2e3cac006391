/** English text of the list of campaigns. */
export const campaigns = {
  title: 'Campaigns',
  none: 'No campaigns yet',
  noneAbout: 'A campaign has a budget, and line items that say who sees which ads.',
  create: 'Create a campaign',
  noBudget: 'None',
  count: '{total} {total, plural, one {campaign} other {campaigns}}',
} as const;

/** Labels of the effective statuses of campaigns, line items and ads. */
export const states: Readonly<Record<string, string>> = {
  RUNNING: 'Running',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  DRAFT: 'Draft',
  EXHAUSTED: 'Budget used up',
  EXPIRED: 'Ended',
  SCHEDULED: 'Scheduled',
  UNKNOWN: 'Not running',
  DELETED: 'Deleted',
};

/** Reasons for showing no ads, at any level, now or in a past hour. */
export const reasons: Readonly<Record<string, string>> = {
  ACCOUNT_REJECTED: 'The account was rejected',
  ACCOUNT_UNDER_REVIEW: 'The account is under review',
  AWAITING_APPROVAL_BY_ADVERTISER: 'It is waiting for your approval',
  EXPIRED: 'It has ended',
  PAUSED_BY_ADVERTISER: 'It is paused',
  STARTS_IN_FUTURE: 'It has not started',
  BUDGET_EXHAUSTED: 'The budget is used up',
  FUNDING_PROBLEM: 'The funding instrument cannot pay',
  CONTENT_REVIEW_PROBLEM: 'An ad was rejected',
  INCOMPLETE: 'It is incomplete: an ad may be missing',
  DELETED: 'It is deleted',
  NO_ACTIVE_LINE_ITEM: 'None of its line items is active',
  ACCOUNT_NOT_ACCEPTED: 'The account is not accepted',
  CAMPAIGN_NOT_ACTIVE: 'The campaign is not active',
  LINE_ITEM_NOT_ACTIVE: 'The line item is not active',
  NO_BUDGET: 'It has no budget',
  NO_CREATIVE: 'It has no ad that can be shown',
  BUDGET_USED_UP: 'The budget is used up',
  NO_PEOPLE: 'Nobody is in its audience',
  AD_PAUSED: 'It is paused',
  AD_UNDER_REVIEW: 'It is under review',
  AD_REJECTED: 'It was rejected',
  AUTHOR_SUSPENDED: 'Its author is suspended',
  NOT_IN_THIS_HOUR: 'It did not run then',
  OUTAGE: 'The market was unavailable',
  BID_BELOW_MINIMUM: 'The bid is below the minimum',
  FREQUENCY_CAP: 'Everybody has seen it as often as allowed',
  NOTHING_WON: 'Others won all auctions',
};
