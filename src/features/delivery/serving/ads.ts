import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAround } from '../../../base/zones.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { PeopleQuery, PersonWord } from '../../../contract/store/directory.ts';
import { lineItems } from '../../ads/line-items.ts';
import { bidLimits } from '../../ads/reference/bidding-rules.ts';
import { peopleQueryOf, type QuestionContext } from '../audiences/audience-query.ts';
import { type AudienceQuestion, readQuestions } from '../audiences/questions.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { type Booking, type Bookings, readBookings } from '../bookings.ts';
import { reasonsNotServing, servingTimes, shownCreatives } from '../serving-times.ts';
import type { Bid } from './auction.ts';
import type { Outcomes } from './draw-rate.ts';
import { type FewPeople, meansFewPeople } from './few-people.ts';
import { type KeywordPredicate, keywordPredicate } from './keyword-match.ts';
import { type Predicate, predicateOf } from './match.ts';
import { qualityOf, readOutcomes, UNSEEN } from './quality.ts';

interface ServedCreative extends BookedCreative {
  readonly outcomes: Outcomes;
}

/** A line item that could be shown, prepared for decisions. */
export interface Ad {
  readonly account: SettledAccount;
  readonly booking: Booking;
  readonly creatives: readonly ServedCreative[];
  readonly isMeant: Predicate;
  /** The only countries and platforms for which it is, where its targeting names nothing else beside them. */
  readonly countries: readonly string[] | undefined;
  readonly platforms: readonly string[] | undefined;
  /** Whether it has changed since it was read: it is not shown then. */
  isStale: boolean;
  /** The last obstacle, valid while the counters of its account have this version. */
  obstacle?: { readonly reason: string; readonly version: number; readonly until_ms: number };
  readonly bid: Bid;
  /** The charged action. */
  readonly billed: 'impression' | 'click';
  readonly isStandard: boolean;
  /** Whether website tags may measure the conversions of its clicks. @source decision 994 */
  readonly isMeasured: boolean;
  readonly flight: { readonly from_ms: number; readonly until_ms: number };
  /** The probability that an impression leads to the billed action, by what it delivered so far. */
  readonly probability: number;
  /** The outcomes behind the probability; undefined where impressions are billed. */
  readonly outcomes: Outcomes | undefined;
  /** How well its creatives do, 1 on average; 1 where clicks are billed, which count in the probability. */
  readonly quality: number;
  /** The first AUTO bid, in US dollars for a thousand impressions. */
  readonly beginsAt: number;
}

/** A line item that cannot be shown, and why. */
export interface LeftOut {
  readonly line: string;
  readonly reason: string;
}

/** An active line item as read: an ad, or the reason why it is none. */
export interface ReadLine {
  readonly ad: Ad | undefined;
  readonly reason: string | undefined;
  /** Its dependencies: ids of its campaign, funding instrument, creatives and targeting criteria, and names of authors. */
  readonly names: readonly string[];
  /** Counts reads: a larger one is newer. */
  readonly turn: number;
}

/** The charged action by billable event; follows, views and installs are not, because no beacon reports them. @source decision 984 */
const BILLED: Readonly<Record<string, Ad['billed'] | undefined>> = {
  IMPRESSION: 'impression',
  LINK_CLICK: 'click',
  APP_CLICK: 'click',
  ENGAGEMENT: 'click',
};

/** The probability of a billed click before anything is known, and how many impressions it counts for. */
const CLICK_PRIOR = 0.008;
const PRIOR_WEIGHT = 500;
/** The first AUTO bid is one and a half times the price paid so far, or this, in US dollars. @source decision 1120 */
const BEGINS_AT = 4;
const BEGINS_ABOVE = 1.5;

/** The ids of the next active line items of an account, in their order. */
export async function listActiveLines(
  { store }: Pick<Services, 'store'>,
  { id: account }: SettledAccount,
  after: string,
): Promise<readonly string[]> {
  const sort = [{ column: 'id', direction: 'asc', nullable: false }] as const;
  const within = { entity_status: ['ACTIVE'] };
  const rows = await store.read((tx) =>
    tx.records.page(lineItems, {
      account,
      member: undefined,
      deleted: 'hidden',
      within,
      without: undefined,
      prefix: undefined,
      sort,
      after: after === '' ? undefined : [after],
      limit: READ_AT_ONCE,
    }),
  );
  return rows.map(({ id }) => id);
}

/** The name of a user among the dependencies of line items. */
export function authorName(user: string): string {
  return `user/${user}`;
}

/** Line items that are read at a time: between them, other work is done. */
export const READ_AT_ONCE = 25;

/** The context in which line items of one account are read. */
export interface ReadingContext extends QuestionContext {
  readonly unitsPerDollar: UnitsPerDollar;
  readonly fewPeople: FewPeople;
}

/** How the targeting of an account is read now. */
export function readingContext(
  services: Pick<Services, 'store' | 'audiences' | 'keywords' | 'delivery'>,
  { environment, timezone }: SettledAccount,
  now_ms: number,
): ReadingContext {
  return {
    unitsPerDollar: services.delivery.unitsPerDollar,
    services,
    environment,
    now: Math.floor(now_ms / 1000),
    lists: new Map(),
    fewPeople: new Map(),
    dayStart: Math.floor(localDayAround(now_ms, timezone).start_ms / 1000),
  };
}

/** Reads line items of an account, and prepares their targeting; those that are not active are left out. */
export async function readAds(
  context: ReadingContext,
  account: SettledAccount,
  lines: readonly string[],
  turn: number,
): Promise<Map<string, ReadLine>> {
  const now = formatInstant(context.now * 1000);
  const { bookings, questions, totals, clicked } = await context.services.store.read(async (tx) => ({
    bookings: await readBookings(tx, account, { ids: lines }),
    questions: await readQuestions(tx, account, lines),
    totals: new Map((await tx.deliveryLedger.listTotals(account.id, lines)).map((each) => [each.line_item_id, each])),
    clicked: await readOutcomes(tx, account, lines, context.now * 1000),
  }));
  const found = new Map<string, ReadLine>();
  for (const booking of bookings.lines) {
    const question = questions.get(booking.id);
    if (!question || booking.deleted || booking.entity_status !== 'ACTIVE') continue;
    const reason = reasonNotShown(bookings, booking, now);
    const { impressions = 0, billed = 0, spend_local_micro = 0 } = totals.get(booking.id) ?? {};
    const unitsPerDollar = context.unitsPerDollar(booking.currency);
    const paid = spend_local_micro / impressions / 1000 / unitsPerDollar;
    const isPaidByClick = BILLED[booking.pay_by] === 'click';
    const outcomes = isPaidByClick
      ? { successes: billed + CLICK_PRIOR * PRIOR_WEIGHT, trials: impressions + PRIOR_WEIGHT }
      : undefined;
    const creatives = shownCreatives(booking).map((each) => ({ ...each, outcomes: clicked.get(each.id) ?? UNSEEN }));
    const ad: Ad | undefined =
      reason === undefined
        ? {
            account,
            booking,
            creatives,
            isStale: false,
            ...(await targetingOf(question, context)),
            bid: {
              strategy: booking.bid_strategy,
              amount: booking.bid_amount,
              ...bidLimits(booking.currency),
              actions: isPaidByClick ? 1 : 1000,
              unitsPerDollar,
            },
            billed: BILLED[booking.pay_by]!,
            isStandard: (booking.campaign.optimizesCampaign ? booking.campaign.isStandard : booking.isStandard) ?? true,
            isMeasured: booking.primary_web_event_tag !== null || booking.objective === 'WEBSITE_CLICKS',
            flight: flightOf(booking),
            outcomes,
            probability: outcomes ? outcomes.successes / outcomes.trials : 1,
            quality: isPaidByClick
              ? 1
              : creatives.reduce((sum, each) => sum + qualityOf(each.outcomes), 0) / creatives.length,
            beginsAt: paid > 0 ? BEGINS_ABOVE * paid : BEGINS_AT,
          }
        : undefined;
    const creativeNames = booking.creatives.flatMap(({ id, author }) => (author ? [id, authorName(author.id)] : [id]));
    const names = [booking.campaign.id, booking.instrument.id, ...creativeNames, ...question.criterionIds];
    found.set(booking.id, { ad, reason, names, turn });
  }
  return found;
}

/** Why a line item cannot be shown whatever the time: decisions check whether it has started. */
function reasonNotShown(bookings: Bookings, booking: Booking, now: string): string | undefined {
  const [reason] = reasonsNotServing(bookings, booking, now);
  if (reason !== undefined && reason !== 'STARTS_IN_FUTURE') return reason;
  return BILLED[booking.pay_by] === undefined ? 'PAYMENT_NOT_SERVED' : undefined;
}

function flightOf(booking: Booking): Ad['flight'] {
  const [from, until] = servingTimes(booking);
  return { from_ms: instantMs(from), until_ms: instantMs(until) };
}

async function targetingOf(question: AudienceQuestion, context: ReadingContext) {
  const query = await peopleQueryOf(question, context);
  const keywordPredicates = (operator: string): Predicate[] =>
    question.criteria
      .filter((each) => (each.operator === 'NE') === (operator === 'NE'))
      .map(keywordPredicate)
      .filter((each) => each !== undefined)
      .map(
        (matches: KeywordPredicate): Predicate =>
          ({ keywords }) =>
            matches(keywords),
      );
  const isMeant = predicateOf(query, { included: keywordPredicates('EQ'), excluded: keywordPredicates('NE') });
  if (await meansFewPeople(query, context.services, { hash: question.hash, known: context.fewPeople })) {
    const withoutDirectory: Predicate = (viewer) => isMeant(viewer.unknown ?? viewer);
    return { isMeant: withoutDirectory, countries: undefined, platforms: undefined };
  }
  return { isMeant, countries: onlyOf(query, 'country'), platforms: onlyOf(query, 'platform') };
}

/** The values of an attribute that people must have; undefined when others are meant too. */
function onlyOf({ allOf }: PeopleQuery, word: PersonWord): readonly string[] | undefined {
  const group = allOf.find((each) => each.every((one) => one.is === 'word' && one.word === word));
  return group?.flatMap((each) => (each.is === 'word' ? each.values : []));
}
