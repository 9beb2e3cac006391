import assert from 'node:assert/strict';
import { audiencesOf, type Place } from './transition-place.ts';
import { AUDIENCES, SHARING } from './transitions-of-audiences.ts';

/** Whom a line item is shown to, by which of its creatives: `everybody`, `members`, `others`, `nobody`, `everybody by 2`. */
export type Shown = string;

/** What happens to something while it delivers. */
export interface Transition {
  readonly what: string;
  /** What is booked, beyond a campaign with a line item and a post. */
  readonly given?: (place: Place) => Promise<void>;
  /** Whether the account is of a user who has nothing else. */
  readonly byNewUser?: boolean;
  readonly before?: Shown;
  readonly act: (place: Place) => Promise<unknown>;
  readonly after: Shown | Readonly<Record<Mode, Shown>>;
  /** Effective status of the campaign and the reasons not to serve, afterwards. */
  readonly state?: string;
  /** Whether those who serve ads look again in minutes; what has changed otherwise shows at once. @source decision 978 */
  readonly isReadLater?: boolean;
  /** A served impression costs less than the smallest budget: `resources/served-ads` lowers budgets after dear ones. */
  readonly onlySimulated?: boolean;
}

/** How ads are delivered. */
export type Mode = 'simulated' | 'served';

const { own } = audiencesOf;
const RUNNING = 'RUNNING';

/** Accounts, and what pays. @source campaigns 8.3 */
const PAYING: readonly Transition[] = [
  {
    what: 'the account is rejected',
    act: (place) => place.store('accounts', place.account, { approval_status: 'REJECTED' }),
    after: 'nobody',
    state: 'UNKNOWN ACCOUNT_REJECTED',
  },
  {
    what: 'the account is under review',
    act: (place) => place.store('accounts', place.account, { approval_status: 'UNDER_REVIEW' }),
    after: 'nobody',
    state: 'UNKNOWN ACCOUNT_UNDER_REVIEW',
  },
  { what: 'the account is deleted', act: (place) => place.remove(''), after: 'nobody', state: 'gone' },
  {
    what: 'the funding instrument is deleted',
    act: (place) => place.remove(`funding_instruments/${place.instrument}`),
    after: 'nobody',
    state: 'UNKNOWN FUNDING_PROBLEM',
  },
  {
    what: 'the funding instrument is paused',
    act: (place) => place.store('funding_instruments', place.instrument, { entity_status: 'PAUSED' }),
    after: 'nobody',
    state: 'UNKNOWN FUNDING_PROBLEM',
  },
  {
    what: 'the funding instrument expires',
    act: (place) => place.store('funding_instruments', place.instrument, { end_time: place.now() }),
    after: 'nobody',
    state: 'UNKNOWN FUNDING_PROBLEM',
  },
  {
    what: 'the credit limit is lowered to what has been spent',
    act: async (place) => {
      const credit_limit_local_micro = await place.spent();
      await place.store('funding_instruments', place.instrument, { credit_limit_local_micro });
    },
    after: 'nobody',
    state: 'UNKNOWN FUNDING_PROBLEM',
  },
];

/** Campaigns and line items. @source campaigns 8.3, 9 */
const BOOKINGS: readonly Transition[] = [
  {
    what: 'the campaign is paused',
    act: (place) => place.campaign_({ entity_status: 'PAUSED' }),
    after: 'nobody',
    state: 'PAUSED PAUSED_BY_ADVERTISER',
  },
  {
    what: 'the campaign is paused and resumed',
    act: async (place) => {
      await place.campaign_({ entity_status: 'PAUSED' });
      await place.campaign_({ entity_status: 'ACTIVE' });
    },
    after: 'everybody',
  },
  {
    what: 'the campaign is deleted',
    act: (place) => place.remove(`campaigns/${place.campaign}`),
    after: 'nobody',
    state: 'UNKNOWN',
  },
  {
    what: 'the campaign is renamed',
    act: (place) => place.campaign_({ name: 'Spring' }),
    after: 'everybody',
  },
  {
    what: 'the line item is paused',
    act: (place) => place.line_({ entity_status: 'PAUSED' }),
    after: 'nobody',
  },
  {
    what: 'the line item is deleted',
    act: (place) => place.remove(`line_items/${place.line}`),
    after: 'nobody',
    state: 'UNKNOWN INCOMPLETE',
  },
  {
    what: 'the criterion that includes an audience is deleted',
    given: own('EQ'),
    before: 'members',
    act: (place) => place.remove(`targeting_criteria/${place.criterion}`),
    after: 'everybody',
  },
  {
    what: 'the criterion that excludes an audience is deleted',
    given: own('NE'),
    before: 'others',
    act: (place) => place.remove(`targeting_criteria/${place.criterion}`),
    after: 'everybody',
  },
  {
    what: 'another line item of the campaign is deleted',
    given: (place) => place.secondLine(),
    act: (place) => place.remove(`line_items/${place.otherLine}`),
    after: 'everybody',
  },
  {
    what: 'the bid is lowered below what wins',
    act: (place) => place.line_({ bid_strategy: 'MAX', bid_amount_local_micro: 10_000 }),
    after: { simulated: 'nobody', served: 'everybody' },
  },
  {
    what: 'the bid is raised',
    act: (place) => place.line_({ bid_strategy: 'MAX', bid_amount_local_micro: 90_000_000 }),
    after: 'everybody',
  },
  {
    what: 'the daily budget is lowered below what has been spent on the day',
    onlySimulated: true,
    act: (place) => place.campaign_({ daily_budget_amount_local_micro: 10_000 }),
    // The next day in one mode, when one cent is spent at once; a few minutes later in the other.
    after: 'nobody',
  },
  {
    what: 'the total budget is lowered below what has been spent: refused',
    onlySimulated: true,
    act: async (place) => {
      const lowered = { daily_budget_amount_local_micro: 10_000, total_budget_amount_local_micro: 10_000 };
      const reply = await place.call('PUT', `campaigns/${place.campaign}`, lowered);
      assert.deepEqual([reply.status, reply.body.errors[0].code], [400, 'SPEND_EXCEEDS_BUDGET']);
    },
    after: 'everybody',
  },
  {
    what: 'the total budget is lowered to what has been spent',
    onlySimulated: true,
    act: async (place) => {
      // In whole cents: what is left of one is spent before it is looked at again.
      const total_budget_amount_local_micro = Math.ceil((await place.spent()) / 10_000) * 10_000;
      await place.campaign_({ daily_budget_amount_local_micro: 10_000, total_budget_amount_local_micro });
    },
    after: 'nobody',
    state: 'EXHAUSTED BUDGET_EXHAUSTED',
  },
  {
    what: 'the budgets of the campaign are taken away',
    act: (place) => place.campaign_({ daily_budget_amount_local_micro: '' }),
    after: 'nobody',
    state: 'UNKNOWN INCOMPLETE',
  },
  {
    what: 'the flight is moved into the future',
    act: (place) => place.line_({ start_time: '2026-03-20T00:00:00Z' }),
    after: 'nobody',
    state: 'SCHEDULED STARTS_IN_FUTURE',
  },
  {
    what: 'the flight ends',
    act: (place) => place.line_({ end_time: place.now(60) }),
    after: 'nobody',
    state: 'EXPIRED EXPIRED',
  },
];

/** Creatives, what they show, and their reviews. @source creatives 3, 4, 5.5, 14, 15 */
const CREATIVES: readonly Transition[] = [
  {
    what: 'the only promoted post is deleted',
    act: (place) => place.remove(`promoted_posts/${place.promoted[0]}`),
    after: 'nobody',
    state: 'UNKNOWN INCOMPLETE',
  },
  {
    what: 'one of two promoted posts is deleted',
    given: (place) => place.promote(),
    before: 'everybody by 1+2',
    act: (place) => place.remove(`promoted_posts/${place.promoted[0]}`),
    after: 'everybody by 2',
  },
  {
    what: 'the only promoted post is rejected',
    act: (place) => place.store('promoted_posts', place.promoted[0]!, { approval_status: 'REJECTED' }),
    after: 'nobody',
    state: 'UNKNOWN CONTENT_REVIEW_PROBLEM',
  },
  {
    what: 'the only promoted post is reviewed again',
    act: (place) => place.store('promoted_posts', place.promoted[0]!, { approval_status: 'UNDER_REVIEW' }),
    after: 'nobody',
    state: 'UNKNOWN CONTENT_REVIEW_PROBLEM',
  },
  {
    what: 'one of two promoted posts is rejected',
    given: (place) => place.promote(),
    before: 'everybody by 1+2',
    act: (place) => place.store('promoted_posts', place.promoted[0]!, { approval_status: 'REJECTED' }),
    after: 'everybody by 2',
  },
  {
    what: 'the card of the promoted post is deleted',
    given: (place) => place.promoteOnly(place.cardPost('components')),
    before: 'everybody with a card',
    act: (place) => place.remove(`cards/${place.card}`),
    after: 'everybody with a card',
  },
  {
    what: 'the poll of the promoted post is deleted for good',
    given: (place) => place.promoteOnly(place.cardPost('poll')),
    before: 'everybody with a card',
    act: (place) => place.remove(`cards/poll/${place.card}`),
    after: 'everybody',
  },
  {
    what: 'the picture of the promoted post leaves the library',
    given: (place) => place.promoteOnly(place.picturePost()),
    act: (place) => place.remove(`media_library/${place.media}`),
    after: 'everybody',
  },
  {
    what: 'the account media of a media creative is deleted',
    given: (place) => place.bookBanner(),
    act: (place) => place.remove(`account_media/${place.accountMedia}`),
    after: 'everybody',
  },
  {
    what: 'the media creative is deleted',
    given: (place) => place.bookBanner(),
    act: (place) => place.remove(`media_creatives/${place.promoted[0]}`),
    after: 'nobody',
    state: 'UNKNOWN INCOMPLETE',
  },
  {
    what: 'the author of the promoted post is suspended',
    byNewUser: true,
    act: (place) => place.suspend(1),
    after: 'nobody',
  },
  {
    what: 'the author of the promoted post is suspended and reinstated',
    byNewUser: true,
    act: async (place) => {
      await place.suspend(1);
      await place.suspend(0);
    },
    after: 'everybody',
  },
  {
    what: 'the tag that measures the line item is deleted',
    given: (place) => place.measure(),
    act: (place) => place.remove(`web_event_tags/${place.tag}`),
    after: 'everybody',
  },
];

/** Every transition, with the state that most leave the campaign in. */
export const TRANSITIONS: readonly (Transition & { readonly before: Shown; readonly state: string })[] = [
  ...SHARING,
  ...AUDIENCES.map((each) => ({ ...each, isReadLater: true })),
  ...PAYING,
  ...BOOKINGS,
  ...CREATIVES,
].map((each) => ({ before: 'everybody', state: RUNNING, ...each }));
