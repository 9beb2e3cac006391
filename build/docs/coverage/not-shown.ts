/** A behaviour that a reference document marks as not shown. */
export interface NotShown {
  readonly document: 'Authentication' | 'Advertising';
  readonly what: string;
  /** Sections of the companion specification that define it; empty if none of it is implemented. */
  readonly filledBy: string;
  /** Rows of docs/decisions/ where neither the documents nor the companion specification define it. */
  readonly decisions: readonly number[];
}

const authentication = (what: string, filledBy: string, decisions: readonly number[] = []): NotShown => {
  return { document: 'Authentication', what, filledBy, decisions };
};
const advertising = (what: string, filledBy: string, decisions: readonly number[] = []): NotShown => {
  return { document: 'Advertising', what, filledBy, decisions };
};

/** A range of rows, both ends included. */
const rows = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Every behaviour that the two documents mark as not shown, in their order. */
export const NOT_SHOWN: readonly NotShown[] = [
  authentication('Lifecycle of the request token', 'authentication 7, 8', [68, 69, 70, 71, 88, 89, 90, 99, 101, 102]),
  authentication('Events emitted by these endpoints', 'activity 16.7, 16.8'),
  authentication(
    'Other error statuses and codes',
    'authentication 1, 5, 10',
    [14, 15, 69, 72, 81, 82, 86, 91, 93, 114, 115],
  ),
  authentication('Rate limits and windows', 'authentication 13', [56, 58, 59, 81, 86, 87]),
  advertising('Fields of curated categories', 'campaigns 6.5', [149, 150, 161]),
  advertising('Fields of line items', 'campaigns 9.1', [120, 121, 122, 123, 124, 128, 130]),
  advertising('Fields of targeting criteria', 'campaigns 10.1', [134, 137, 147, 148]),
  advertising('Fields of tailored audiences beyond is_owner', 'creatives 23', [266]),
  advertising('Transitions of campaign and line item delivery', 'campaigns 8.3', [37]),
  advertising('Transitions of audience processing', 'creatives 18.3', rows(280, 289)),
  advertising('account_apps: parameters beyond count, cursor and sort_by', 'campaigns 5.3'),
  advertising('account_history: parameters and response', 'campaigns 5.4', [53, 54, 55]),
  advertising('Campaigns list and get: filters beyond campaign_ids', 'campaigns 8.2', [42, 44, 45, 46, 47]),
  advertising('Line items: parameters and defaults', 'campaigns 9', [32, ...rows(120, 133)]),
  advertising('Component card update and delete', 'creatives 5.5', [214, 215, 216, 217]),
  advertising('Media library list, get and create', 'creatives 3', [200, 201, 202, 203, 204, 205, 206, 207, 208, 209]),
  advertising(
    'Post creation and scheduled posts',
    'creatives 10 to 14',
    [230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 247],
  ),
  advertising('Video conversation create: required parameters', 'creatives 7, 8', [216, 217, 223, 225]),
  advertising('Preroll call to action: update, delete, parameters', 'creatives 16'),
  advertising('Image conversation get, create, update and delete', 'creatives 7, 9', [216, 217, 225]),
  advertising('Custom audiences list, get and delete', 'creatives 18.2', rows(248, 266)),
  advertising('Response of bidding rules', 'campaigns 6.1', [20, 156]),
  advertising('Response of features', 'campaigns 5.6', [170]),
  advertising('Response of authenticated user access', 'campaigns 5.5', [60, 171]),
  advertising('Response of advertiser business categories', 'campaigns 6.3'),
  advertising('Response of the audience estimate', 'campaigns 14', rows(290, 303)),
  advertising('Response of custom audience users and their batch', 'creatives 19.4, 20', rows(267, 279)),
  advertising(
    'Curated categories, targeting criteria, publishers: parameters and fields',
    'campaigns 6.5, 6.6, 10, 11',
    [...rows(134, 154), ...rows(156, 161)],
  ),
  advertising('Signing scheme and credentials', 'authentication 1, 2', [13, 14, 15, 16, 17, 83, 94, 98, 99, 100, 101]),
  advertising('Events of these endpoints, payloads of activity events', 'activity 16, 17', [
    ...rows(322, 360),
    ...rows(406, 407),
  ]),
  advertising(
    'Status and error codes',
    'campaigns 2',
    [14, 18, 19, 24, 25, 26, 27, 31, 36, 39, 60, 62, 91, 114, 115, 126, 132, 135, 136, 139, 144, 145, 146],
  ),
  advertising('Rate limits of each endpoint', 'campaigns 3.2', [56, 57, 58, 59, 86, 87, 155]),
];
