import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAround } from '../../../base/zones.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import { bidLimits } from '../../ads/reference/bidding-rules.ts';
import { type AskingContext, peopleQueryOf } from '../audiences/audience-query.ts';
import { type AudienceQuestion, readQuestions } from '../audiences/questions.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { type Booking, type Bookings, readBookings } from '../bookings.ts';
import { reasonNotServing, servingTimes, shownCreatives } from '../serving-times.ts';
import type { Bid } from './auction.ts';
import { type KeywordPredicate, keywordPredicate } from './keyword-match.ts';
import { type Predicate, predicateOf } from './match.ts';

/** A line item that could be shown, prepared for decisions. */
export interface Ad {
  readonly account: SettledAccount;
  readonly booking: Booking;
  readonly creatives: readonly BookedCreative[];
  readonly isMeant: Predicate;
  /** The only countries in which it is shown, when its targeting names nothing but countries; undefined otherwise. */
  readonly countries: readonly string[] | undefined;
  readonly bid: Bid;
  /** What is charged: its impressions or its clicks. */
  readonly billed: 'impression' | 'click';
  readonly isStandard: boolean;
  /** Whether tags of websites may measure what comes of its clicks. @source decision 994 */
  readonly isMeasured: boolean;
  readonly flight: { readonly from_ms: number; readonly until_ms: number };
  /** The probability that an impression leads to the billed action, by what it delivered so far. */
  readonly probability: number;
}

/** What was left out of the ads of an account: why its line items cannot be shown at all. */
export interface LeftOut {
  readonly line: string;
  readonly reason: string;
}

/** The ads of an account. */
export interface AdsOfAccount {
  readonly account: SettledAccount;
  readonly ads: readonly Ad[];
  readonly leftOut: readonly LeftOut[];
}

/** What is charged by billable event; views and installs are not, because no beacon reports them. @source decision 984 */
const BILLED: Readonly<Record<string, Ad['billed'] | undefined>> = {
  IMPRESSION: 'impression',
  LINK_CLICK: 'click',
  APP_CLICK: 'click',
  ENGAGEMENT: 'click',
  FOLLOW: 'click',
};

/** The probability of a billed click before anything is known, and how many impressions it counts for. */
const CLICK_PRIOR = 0.008;
const PRIOR_WEIGHT = 500;

/** Reads the ads of an account and prepares their targeting. */
export async function readAds(
  services: Pick<Services, 'store' | 'audiences' | 'keywords'>,
  account: SettledAccount,
  now_ms: number,
): Promise<AdsOfAccount> {
  const now = formatInstant(now_ms);
  const { bookings, questions, totals } = await services.store.read(async (tx) => {
    const booked = await readBookings(tx, account);
    const ids = booked.lines.map(({ id }) => id);
    return {
      bookings: booked,
      questions: await readQuestions(tx, account, ids),
      totals: new Map((await tx.deliveryLedger.listTotals(account.id)).map((each) => [each.line_item_id, each])),
    };
  });
  const asking: AskingContext = {
    ...{ services, environment: account.environment, now: Math.floor(now_ms / 1000), lists: new Map() },
    dayStart: Math.floor(localDayAround(now_ms, account.timezone).start_ms / 1000),
  };
  const ads: Ad[] = [];
  const leftOut: LeftOut[] = [];
  for (const booking of bookings.lines) {
    const reason = unfit(bookings, booking, now);
    if (reason !== undefined) {
      leftOut.push({ line: booking.id, reason });
      continue;
    }
    const question = questions.get(booking.id)!;
    const { impressions = 0, billed = 0 } = totals.get(booking.id) ?? {};
    const isPaidByClick = BILLED[booking.pay_by] === 'click';
    ads.push({
      ...{ account, booking, creatives: shownCreatives(booking) },
      ...(await targetingOf(question, asking)),
      bid: { strategy: booking.bid_strategy, amount: booking.bid_amount, ...bidLimits(booking.currency) },
      billed: BILLED[booking.pay_by]!,
      isStandard: (booking.campaign.optimizesCampaign ? booking.campaign.isStandard : booking.isStandard) ?? true,
      isMeasured: booking.primary_web_event_tag !== null || booking.objective === 'WEBSITE_CLICKS',
      flight: flightOf(booking),
      probability: isPaidByClick ? (billed + CLICK_PRIOR * PRIOR_WEIGHT) / (impressions + PRIOR_WEIGHT) : 1,
    });
  }
  return { account, ads, leftOut };
}

/** Why a line item can never be shown as it is; one that starts later is kept, because time is looked at in decisions. */
function unfit(bookings: Bookings, booking: Booking, now: string): string | undefined {
  const reason = reasonNotServing(bookings, booking, now);
  if (reason !== undefined && reason !== 'STARTS_IN_FUTURE') return reason;
  return BILLED[booking.pay_by] === undefined ? 'PAYMENT_NOT_SERVED' : undefined;
}

function flightOf(booking: Booking): Ad['flight'] {
  const [from, until] = servingTimes(booking);
  return { from_ms: instantMs(from), until_ms: instantMs(until) };
}

async function targetingOf(question: AudienceQuestion, asking: AskingContext) {
  const query = await peopleQueryOf(question, asking);
  const speaking = (operator: string): Predicate[] =>
    question.criteria
      .filter((each) => (each.operator === 'NE') === (operator === 'NE'))
      .map(keywordPredicate)
      .filter((each) => each !== undefined)
      .map(
        (matches: KeywordPredicate): Predicate =>
          (viewer) =>
            matches(viewer.keywords),
      );
  const isMeant = predicateOf(query, { included: speaking('EQ'), excluded: speaking('NE') });
  const places = query.allOf.filter((group) => group.every((each) => each.is === 'word' && each.word === 'country'))[0];
  const countries = places?.flatMap((each) => (each.is === 'word' ? each.values : []));
  return { isMeant, countries };
}
