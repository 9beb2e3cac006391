import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAt } from '../../../base/zones.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Condition, PeopleQuery, PersonWord } from '../../../contract/store/directory.ts';
import { lineItems } from '../../ads/line-items.ts';
import { bidLimits } from '../../ads/reference/bidding-rules.ts';
import { peopleQueryOf, type QuestionContext } from '../audiences/audience-query.ts';
import { type AudienceQuestion, readQuestions } from '../audiences/questions.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { type Booking, type Bookings, readBookings } from '../bookings.ts';
import { reasonsNotServing, servingTimes, shownCreatives } from '../serving-times.ts';
import type { Bid } from './auction.ts';
import { keywordPredicate, type Predicate, predicateOf } from './match.ts';
import { type Outcomes, qualityOf, readOutcomes, UNSEEN } from './quality.ts';

interface ServedCreative extends BookedCreative {
  readonly outcomes: Outcomes;
}

/** A line item prepared for decisions. */
export interface Ad {
  readonly account: SettledAccount;
  readonly booking: Booking;
  readonly creatives: readonly ServedCreative[];
  readonly isMeant: Predicate;
  /** The only countries and platforms that it targets; undefined if it targets others too. */
  readonly countries: readonly string[] | undefined;
  readonly platforms: readonly string[] | undefined;
  /** Whether it has changed since it was read, and must not be shown. */
  isStale: boolean;
  /** The last obstacle; valid for one version of the account's counters. */
  obstacle?: { readonly reason: string; readonly version: number; readonly until_ms: number };
  readonly bid: Bid;
  /** The charged action. */
  readonly billed: 'impression' | 'click';
  readonly isStandard: boolean;
  /** Whether website tags may measure the conversions of its clicks. @source decision 994 */
  readonly isMeasured: boolean;
  readonly flight: { readonly from_ms: number; readonly until_ms: number };
  /** The probability that an impression leads to the billed action, by past delivery. */
  readonly probability: number;
  /** The outcomes behind the probability; undefined if impressions are billed. */
  readonly outcomes: Outcomes | undefined;
  /** Performance of its creatives relative to the average of 1; 1 if clicks are billed, because the probability covers them. */
  readonly quality: number;
  /** The first AUTO bid, in US dollars for a thousand impressions. */
  readonly firstBid: number;
}

/** A line item that cannot be shown, with the reason. */
export interface LeftOut {
  readonly line: string;
  readonly reason: string;
}

/** An active line item as read: an ad, or the reason why it cannot be shown. */
export interface ReadLine {
  readonly ad: Ad | undefined;
  readonly reason: string | undefined;
  /** Its dependencies: ids of its campaign, funding instrument, creatives and targeting criteria, and keys of authors. */
  readonly names: readonly string[];
  /** Sequence number of the read; a higher one is newer. */
  readonly turn: number;
}

/** The charged action by billable event. Follows, video views and installs are missing, because no beacon reports them. @source decision 984 */
const BILLED: Readonly<Record<string, Ad['billed'] | undefined>> = {
  IMPRESSION: 'impression',
  LINK_CLICK: 'click',
  APP_CLICK: 'click',
  ENGAGEMENT: 'click',
};

/** Prior click rate. */
const CLICK_PRIOR = 0.008;
/** Weight of the prior, in impressions. */
const PRIOR_WEIGHT = 500;
/** The first AUTO bid relative to the average price so far. @source decision 1120 */
const FIRST_BID_FACTOR = 1.5;
/** The first AUTO bid without a price so far, in US dollars. */
const FIRST_BID = 4;

/** Lists the next active line items of an account by id. */
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

/** Returns the key of an author among the dependencies of line items. */
export function authorKey(user: string): string {
  return `user/${user}`;
}

/** Line items are read in batches of this size, to yield to other work in between. */
export const READ_AT_ONCE = 25;

/** The context of reading the line items of an account. */
export interface ReadingContext extends QuestionContext {
  readonly unitsPerDollar: UnitsPerDollar;
  /** Whether audience questions target few people, by their hash. */
  readonly fewPeople: Map<string, boolean>;
}

/** Creates the context of reading an account now. */
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
    dayStart: Math.floor(localDayAt(now_ms, timezone).start_ms / 1000),
  };
}

/** Reads the active ones of some line items, and compiles their targeting. */
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
            firstBid: paid > 0 ? FIRST_BID_FACTOR * paid : FIRST_BID,
          }
        : undefined;
    const creativeNames = booking.creatives.flatMap(({ id, author }) => (author ? [id, authorKey(author.id)] : [id]));
    const names = [booking.campaign.id, booking.instrument.id, ...creativeNames, ...question.criterionIds];
    found.set(booking.id, { ad, reason, names, turn });
  }
  return found;
}

/** Returns the reason why a line item cannot be shown, other than a future start, which decisions check. */
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
      .filter((each) => each !== undefined);
  const isMeant = predicateOf(query, { included: keywordPredicates('EQ'), excluded: keywordPredicates('NE') });
  if (await targetsFewPeople(query, question.hash, context)) {
    const withoutDirectory: Predicate = (viewer) => isMeant(viewer.unknown ?? viewer);
    return { isMeant: withoutDirectory, countries: undefined, platforms: undefined };
  }
  return { isMeant, countries: onlyOf(query, 'country'), platforms: onlyOf(query, 'platform') };
}

/** Returns the values of an attribute to which a query is restricted; undefined if it is not. */
function onlyOf({ allOf }: PeopleQuery, word: PersonWord): readonly string[] | undefined {
  const group = allOf.find((each) => each.every((one) => one.is === 'word' && one.word === word));
  return group?.flatMap((each) => (each.is === 'word' ? each.values : []));
}

/**
 * Whether a part of a question selects fewer people than the minimum size of an audience: showing an ad for it to a
 * known person would reveal something about them. Attributes that no person has reveal nothing. Lookalikes are ignored,
 * as in decisions; inactive people count.
 * @source decision 1075
 */
async function targetsFewPeople(
  { anyOf, allOf }: PeopleQuery,
  hash: string,
  { services: { store, audiences }, fewPeople }: ReadingContext,
): Promise<boolean> {
  const known = fewPeople.get(hash);
  if (known !== undefined) return known;
  const { people } = await store.read((tx) => tx.directory.findState());
  let isFew = false;
  // An empty directory reveals nothing.
  for (const group of people === 0 ? [] : [anyOf, ...allOf]) {
    if (group.length === 0) continue;
    const query = { anyOf: group.map(withoutLookalikes), allOf: [], noneOf: [] };
    const matching = await audiences.directory.count(query, 0);
    isFew ||= matching > 0 && matching < audiences.rules.size_min;
  }
  fewPeople.set(hash, isFew);
  return isFew;
}

function withoutLookalikes(condition: Condition): Condition {
  return condition.is === 'alike' ? withoutLookalikes(condition.to) : condition;
}
