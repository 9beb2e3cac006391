import type { Clock } from '../../../base/clock.ts';
import type { AdList } from './ad-lists.ts';
import type { Ad } from './ads.ts';
import { bidOf, rankOf, type Standing } from './auction.ts';
import { autoBids } from './auto-bids.ts';
import type { AccountCounters } from './counters.ts';
import { drawRate } from './draw-rate.ts';
import { dayOfAd, isAhead } from './pacing.ts';

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
  /** One of the ads for which the service bids, at random. */
  someAuto(lists: readonly AdList<Ad>[]): Ranked | undefined;
  /** Others were shown where this ad, for which the service bids, could have been. */
  missed(ad: Ad): void;
}

interface Kept {
  readonly ranked: RankingEntry[];
  /** Those for which the service bids. */
  readonly autos: readonly RankingEntry[];
  readonly changes: number;
  at_ms: number;
  readonly for_ms: number;
}

const KEPT_MS = 1000;
/** Without AUTO bids, only draws of click rates move ranks. */
const KEPT_STILL_MS = 10_000;

/** Ranks ads by what they bid now. */
export function ranking(clock: Clock, chance: () => number, countersOf: (ad: Ad) => AccountCounters): Ranking {
  const kept = new WeakMap<AdList<Ad>, Kept>();

  const bids = autoBids();
  const dayOf = (ad: Ad, now_ms: number) => dayOfAd(ad, countersOf(ad), now_ms);

  function rank(entry: RankingEntry, now_ms: number): void {
    const { ad, standing } = entry;
    const level = ad.bid.strategy === 'AUTO' ? bids.levelOf(ad, dayOf(ad, now_ms)) : 0;
    standing.bid = bidOf(ad.bid, level, ad.probability);
    standing.quality = ad.quality;
    if (ad.outcomes) standing.probability = drawRate(ad.outcomes, chance());
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
    const autos = ranked.filter(({ ad }) => ad.bid.strategy === 'AUTO');
    return { ranked, autos, changes, at_ms: now_ms, for_ms: autos.length > 0 ? KEPT_MS : KEPT_STILL_MS };
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
    waits: (ad) => ad.isStandard && isAhead(ad, dayOf(ad, clock.now())),
    someAuto(lists) {
      const { autos } = kept.get(lists[Math.floor(chance() * lists.length)]!) ?? { autos: [] };
      return autos[Math.floor(chance() * autos.length)];
    },
    missed(ad) {
      const now_ms = clock.now();
      // What has spent its part would not be shown for a higher bid.
      if (!isAhead(ad, dayOf(ad, now_ms))) bids.missed(ad, now_ms);
    },
  };
}
