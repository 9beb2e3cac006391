/** English text of the frame of advertiser pages. */
export const frame = {
  tabs: 'Account',
  overview: 'Overview',
  results: 'Results',
  campaigns: 'Campaigns',
  line_items: 'Line items',
  audiences: 'Audiences',
  creatives: 'Creatives',
  keywords: 'Keywords',
  apiCall: 'Show API call',
  apiCalls: 'API calls that this page made',
  remove: 'Delete it',
  problem: 'This could not be done',
  notShown: 'This page could not be shown',
  sendAgain: 'Reload the page to send what you entered again.',
  timeZone: (zone: string) => `Times are in the time zone of the account, ${zone}.`,
} as const;
