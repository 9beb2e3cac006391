import type { Clock } from '../../../base/clock.ts';
import { dateAround, localDayAround } from '../../../base/zones.ts';
import type { AdList } from './ad-lists.ts';
import type { Ad } from './ads.ts';
import { bidOf, rankOf, type Standing } from './auction.ts';
import type { AccountCounters } from './counters.ts';
import { elapsedPart, isAhead } from './pacing.ts';

/** An ad with its rank; both move with the time, so that nobody may keep it. */
export interface Ranked {
  readonly ad: Ad;
  readonly standing: Readonly<Standing>;
  readonly rank: number;
}

/** The same, for whom ranks it. */
interface RankingEntry extends Ranked {
  readonly standing: Standing;
  rank: number;
  /** Decides the order of equal ranks. */
  tie: number;
}

/** Ranks ads by their bids, best first. Ranks are kept for a moment, because budgets move AUTO bids slowly. */
export interface Ranking {
  /** The ads of lists in the order of their ranks. */
  inOrder(lists: readonly AdList<Ad>[]): Iterable<Ranked>;
  /** Whether an ad that is paced over the day has to wait. */
  waits(ad: Ad): boolean;
}

interface Kept {
  readonly ranked: RankingEntry[];
  readonly changes: number;
  at_ms: number;
  readonly for_ms: number;
}

const KEPT_MS = 1000;
/** Without AUTO bids, only what is known of creatives moves ranks. */
const KEPT_STILL_MS = 10_000;
const DAY_MS = 86_400_000;
/** A total budget without an end is planned over this many days. */
const OPEN_DAYS = 30;

/** Ranks ads by what they bid now. */
export function ranking(
  clock: Clock,
  chance: () => number,
  countersOf: (ad: Ad) => AccountCounters,
  qualityOf: (ad: Ad) => number,
): Ranking {
  const kept = new WeakMap<AdList<Ad>, Kept>();

  /** The budgets of a day that an ad is paced by, with what is spent of them. */
  function* plansOf(ad: Ad, now_ms: number): Generator<readonly [plan: number, spent: number]> {
    const { booking, flight, account } = ad;
    const day = dateAround(now_ms, account.timezone);
    const counters = countersOf(ad);
    const lineKey = `line_item/${booking.id}/${day}`;
    const campaignKey = `campaign/${booking.campaign.id}/${day}`;
    const days = Math.max(1, Math.ceil((Math.min(flight.until_ms, now_ms + OPEN_DAYS * DAY_MS) - now_ms) / DAY_MS));
    if (booking.budget.daily !== null) yield [booking.budget.daily, counters.spentToday(lineKey)];
    else if (booking.budget.total !== null) yield [booking.budget.total / days, counters.spentToday(lineKey)];
    if (booking.campaign.budget.daily !== null) {
      yield [booking.campaign.budget.daily, counters.spentToday(campaignKey)];
    }
  }

  function rank(entry: RankingEntry, now_ms: number): void {
    const { ad, standing } = entry;
    let behind = 0;
    if (ad.bid.strategy === 'AUTO') {
      const elapsed = elapsedPart(localDayAround(now_ms, ad.account.timezone), ad.flight, now_ms);
      const parts = [...plansOf(ad, now_ms)].map(([plan, spent]) => elapsed - (plan > 0 ? spent / plan : 1));
      behind = parts.length === 0 ? 0 : Math.min(...parts);
    }
    standing.bid = bidOf(ad.bid, behind);
    standing.quality = qualityOf(ad);
    entry.rank = rankOf(ad.bid, standing);
    entry.tie = chance();
  }

  function keep({ ads, changes }: AdList<Ad>, now_ms: number): Kept {
    const ranked = ads.map((ad) => ({
      ad,
      standing: { bid: 0, quality: 0, probability: ad.probability },
      rank: 0,
      tie: 0,
    }));
    const isMoving = ads.some(({ bid }) => bid.strategy === 'AUTO');
    return { ranked, changes, at_ms: now_ms, for_ms: isMoving ? KEPT_MS : KEPT_STILL_MS };
  }

  function rankedOf(list: AdList<Ad>): readonly Ranked[] {
    const now_ms = clock.now();
    const before = kept.get(list);
    const isSame = before?.changes === list.changes;
    if (isSame && now_ms - before.at_ms < before.for_ms) return before.ranked;
    // Entries are written again as long as the ads are the same: thousands of new ones a second would stop everything
    // whenever the memory is tidied up.
    const found = isSame ? before : keep(list, now_ms);
    found.at_ms = now_ms;
    const { ranked } = found;
    for (const entry of ranked) rank(entry, now_ms);
    ranked.sort((one, other) => other.rank - one.rank || one.tie - other.tie);
    // Next time they are nearly in order, which sorts fast.
    for (let at = 0; at < ranked.length; at++) list.ads[at] = ranked[at]!.ad;
    kept.set(list, found);
    return ranked;
  }

  return {
    *inOrder(lists) {
      const ranked = lists.map(rankedOf);
      const places = ranked.map(() => 0);
      for (;;) {
        let best = -1;
        for (let at = 0; at < ranked.length; at++) {
          const next = ranked[at]![places[at]!];
          if (next && (best < 0 || next.rank > ranked[best]![places[best]!]!.rank)) best = at;
        }
        if (best < 0) return;
        yield ranked[best]![places[best]!++]!;
      }
    },
    waits(ad) {
      if (!ad.isStandard) return false;
      const now_ms = clock.now();
      const elapsed = elapsedPart(localDayAround(now_ms, ad.account.timezone), ad.flight, now_ms);
      for (const [plan, spent] of plansOf(ad, now_ms)) if (isAhead(plan, spent, elapsed)) return true;
      return false;
    },
  };
}
