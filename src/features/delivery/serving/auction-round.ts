import type { Explanation, RequestedPlacement } from '../../../contract/services/serving.ts';
import type { Ad } from './ads.ts';
import { priceOf } from './auction.ts';
import type { AdList } from './loaded-ads.ts';
import type { Ranked, Ranking } from './ranking.ts';
import type { Viewer } from './viewer.ts';

/** An ad that won, and the price of its billed action, in micro units. */
export interface Winner {
  readonly ad: Ad;
  readonly price: number;
  readonly rank: number;
}

interface Round {
  readonly winners: readonly Winner[];
  readonly explanation: readonly Explanation[];
}

/** A round ends after this many ads that need reads, because most further reads would be wasted. */
const MISSING_MAX = 20;
/** Maximum number of ads of equal rank that have equal chances. */
const EQUAL_MAX = 50;

/** The reason why an ad is not shown now; undefined if it may be. `wait`: data must be read first. */
export type Obstacle = string | { readonly wait: true } | undefined;

interface RoundContext {
  readonly ranking: Ranking;
  readonly candidates: readonly AdList[];
  readonly viewer: Viewer;
  readonly placement: RequestedPlacement;
  readonly now_ms: number;
  /** Line items in other placements of the request or without a creative, with the reason. */
  readonly excluded: ReadonlyMap<string, string>;
  /** The accounts of ads in other placements of the request. */
  readonly accounts: ReadonlySet<string>;
  readonly explain: boolean;
  /** Returns a random number from 0 to below 1. */
  chance(): number;
  /** Checks budgets, pacing and frequency caps. */
  obstacleTo(ranked: Ranked): Obstacle;
  /** The version of the counters of an ad's account. */
  versionOf(ad: Ad): number;
}

/**
 * Chooses the ads of a placement: the best ranks, of different accounts if possible, each at the price of the best
 * loser that could take its place. Stops as soon as the outcome is certain, unless it is explained.
 * @source decision 979, 1121
 */
export function decideRound(context: RoundContext): Round {
  const { ranking, candidates, placement, accounts, explain } = context;
  const { count } = placement;
  const fitting: Ranked[] = [];
  const explanation: Explanation[] = [];
  /** Number of fitting ads by account, including other placements. */
  const found = new Map<string, number>([...accounts].map((id) => [id, 1]));
  let missing = 0;
  let different = 0;
  /** The account of the last winner, and whether an ad that could take its place was found. */
  let last = '';
  let hasNext = false;
  const say = ({ ad, rank }: Ranked, outcome: string): void => {
    if (explain) explanation.push({ line_item_id: ad.booking.id, outcome, rank: Math.round(rank * 1e6) / 1e6 });
  };
  for (const ranked of ranking.inOrder(candidates)) {
    const isEnough = hasNext && (fitting.length > count + EQUAL_MAX || ranked.rank < fitting.at(-1)!.rank);
    if (isEnough || missing >= MISSING_MAX) {
      if (!explain) break;
      say(ranked, lossOf(ranked, context) ?? 'OUTBID');
      continue;
    }
    const { id } = ranked.ad.account;
    const before = found.get(id) ?? 0;
    const isOther = before === 0;
    // A second ad of an account sets the price of its first; further ones only fill remaining places.
    if (before > 1 && fitting.length - different > count && !explain) continue;
    const loss = lossOf(ranked, context) ?? context.obstacleTo(ranked);
    if (loss !== undefined) {
      if (typeof loss === 'string') say(ranked, loss);
      else missing += 1;
      continue;
    }
    fitting.push(ranked);
    hasNext ||= different >= count && (isOther || id === last);
    found.set(id, before + 1);
    if (!isOther) continue;
    different += 1;
    if (different === count) last = id;
  }
  shuffleEqual(fitting, context);
  const { won, lost, nextOf } = separate(fitting, context);
  const winners = won.map((ranked, place) => {
    const { ad, factors, rank } = ranked;
    say(ranked, 'WON');
    return { ad, rank, price: priceOf(ad.bid, factors, nextOf(ranked, place)) };
  });
  for (const ranked of lost) say(ranked, ranked.rank > (won.at(-1)?.rank ?? 0) ? 'SAME_ADVERTISER' : 'OUTBID');
  noteMissed(won, context);
  return { winners, explanation };
}

/** Separates ads, best first, into winners and losers; `nextOf` returns the rank of the ad that sets a winner's price. */
function separate(fitting: readonly Ranked[], { accounts, placement: { count } }: RoundContext) {
  const won: Ranked[] = [];
  const lost: Ranked[] = [];
  const taken = new Set(accounts);
  for (const ranked of fitting) {
    const { id } = ranked.ad.account;
    if (won.length === count || taken.has(id)) lost.push(ranked);
    else {
      won.push(ranked);
      taken.add(id);
    }
  }
  // Several ads of an account fill remaining places.
  const isFilled = won.length < count;
  won.push(...lost.splice(0, count - won.length));
  won.sort((one, other) => other.rank - one.rank);
  const nextOf = ({ ad, rank }: Ranked, place: number): number => {
    const next = lost.find((each) => {
      const { id } = each.ad.account;
      return each.rank <= rank && (isFilled || id === ad.account.id || !taken.has(id));
    });
    return Math.max(won[place + 1]?.rank ?? 0, next?.rank ?? 0);
  };
  return { won, lost, nextOf };
}

/** Shuffles ads of equal rank, so that all get their share. */
function shuffleEqual(fitting: Ranked[], { chance }: Pick<RoundContext, 'chance'>): void {
  for (let at = 0; at < fitting.length; at++) {
    let equal = 1;
    while (fitting[at + equal]?.rank === fitting[at]!.rank) equal += 1;
    if (equal === 1) continue;
    const other = at + Math.floor(chance() * equal);
    [fitting[at], fitting[other]] = [fitting[other]!, fitting[at]!];
  }
}

/** Checks whether a random ad with an automatic bid lost by its bid alone; only one, because there may be thousands. */
function noteMissed(won: readonly Ranked[], context: RoundContext): void {
  const { ranking, candidates } = context;
  const other = candidates.length > 0 ? ranking.someAuto(candidates) : undefined;
  if (!other || won.some(({ ad }) => ad === other.ad) || lossOf(other, context) !== undefined) return;
  ranking.raise(other.ad);
}

function lossOf(
  { ad, rank }: Ranked,
  { viewer, placement, now_ms, excluded, explain, versionOf }: RoundContext,
): string | undefined {
  if (ad.isStale) return 'CHANGING';
  const { obstacle } = ad;
  if (obstacle && !explain && now_ms < obstacle.until_ms && obstacle.version === versionOf(ad)) return obstacle.reason;
  const taken = excluded.size === 0 ? undefined : excluded.get(ad.booking.id);
  if (taken !== undefined) return taken;
  if (now_ms < ad.flight.from_ms || now_ms >= ad.flight.until_ms) return 'NOT_IN_FLIGHT';
  if (!fitsPlacement(ad, placement.type)) return 'PLACEMENT';
  if (rank <= 0) return 'BELOW_LEAST_BID';
  return ad.isMeant(viewer) ? undefined : 'TARGETING';
}

/** `ALL_ON_SERVICE` means all placements of the service itself. */
function fitsPlacement({ booking: { placements } }: Ad, type: string): boolean {
  return placements.includes(type) || (type.startsWith('SERVICE_') && placements.includes('ALL_ON_SERVICE'));
}
