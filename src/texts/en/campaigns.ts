/** Words of the list of campaigns. */
export const campaigns = {
  title: 'Campaigns',
  none: 'No campaigns yet',
  noneAbout: 'A campaign has a budget, and line items that say who sees which ads.',
  create: 'Create a campaign',
  noBudget: 'None',
  count: '{total} {total:campaign|campaigns}',
} as const;

/** The effective states of campaigns and line items. */
export const states: Readonly<Record<string, string>> = {
  RUNNING: 'Running',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  DRAFT: 'Draft',
  EXHAUSTED: 'Budget used up',
  EXPIRED: 'Ended',
  SCHEDULED: 'Scheduled',
  DELETED: 'Deleted',
};

/** Why something does not serve. */
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
  INCOMPLETE: 'Something is missing, such as an ad',
  DELETED: 'It is deleted',
};
