import type { Clock } from '../../../base/clock.ts';
import type { Ad } from './ads.ts';
import { bidOf, type RankInputs, rankOf } from './auction.ts';
import { AutoBids } from './auto-bids.ts';
import type { AccountCounters } from './counters.ts';
import type { AdList } from './loaded-ads.ts';
import { dayOfAd, isAhead } from './pacing.ts';
import { drawRate } from './quality.ts';

/** An ad with its rank. Entries are reused: do not keep them. */
export interface Ranked {
  readonly ad: Ad;
  readonly factors: Readonly<RankInputs>;
  readonly rank: number;
}

interface RankingEntry extends Ranked {
  readonly factors: RankInputs;
  rank: number;
  /** Breaks ties, at random. */
  tie: number;
}

interface RankedList {
  readonly entries: RankingEntry[];
  /** The entries with AUTO bids. */
  readonly autos: readonly RankingEntry[];
  readonly changes: number;
  at_ms: number;
  readonly for_ms: number;
}

const RANKED_MS = 1000;
/** Without AUTO bids, ranks only change with drawn click rates. */
const RANKED_WITHOUT_AUTO_MS = 10_000;

/** Ranks ads by their bids, best first. Ranks are cached briefly, because AUTO bids move slowly. */
export class Ranking {
  readonly #clock: Clock;
  readonly #chance: () => number;
  readonly #countersOf: (ad: Ad) => Pick<AccountCounters, 'spentToday' | 'openingBalance'>;
  readonly #lists = new WeakMap<AdList, RankedList>();
  readonly #bids = new AutoBids();

  /** @param chance from 0 to below 1 */
  constructor(
    clock: Clock,
    chance: () => number,
    countersOf: (ad: Ad) => Pick<AccountCounters, 'spentToday' | 'openingBalance'>,
  ) {
    this.#clock = clock;
    this.#chance = chance;
    this.#countersOf = countersOf;
  }

  /** Iterates over the ads of several lists, best rank first. */
  *inOrder(lists: readonly AdList[]): Iterable<Ranked> {
    const ranked = lists.map((list) => this.#ranked(list));
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
  }

  #ranked(list: AdList): readonly Ranked[] {
    const now_ms = this.#clock.now();
    const before = this.#lists.get(list);
    const isSame = before?.changes === list.changes;
    if (isSame && now_ms - before.at_ms < before.for_ms) return before.entries;
    // Entries are reused while the ads are the same: thousands of allocations a second would cause long garbage collections.
    const ranked = isSame ? before : rankedList(list, now_ms);
    ranked.at_ms = now_ms;
    const { entries } = ranked;
    for (const entry of entries) this.#rank(entry, now_ms);
    entries.sort((one, other) => other.rank - one.rank || one.tie - other.tie);
    // The next sort is fast, because the ads are then nearly in order.
    for (let at = 0; at < entries.length; at++) list.ads[at] = entries[at]!.ad;
    this.#lists.set(list, ranked);
    return entries;
  }

  #rank(entry: RankingEntry, now_ms: number): void {
    const { ad, factors } = entry;
    const level = ad.bid.strategy === 'AUTO' ? this.#bids.levelOf(ad, dayOfAd(ad, this.#countersOf(ad), now_ms)) : 0;
    factors.bid = bidOf(ad.bid, level, ad.probability);
    factors.quality = ad.quality;
    if (ad.outcomes) factors.probability = drawRate(ad.outcomes, this.#chance());
    entry.rank = rankOf(ad.bid, factors);
    entry.tie = this.#chance();
  }

  /** Whether pacing delays an ad. */
  waits(ad: Ad): boolean {
    return ad.isStandard && this.#isAhead(ad, this.#clock.now());
  }

  #isAhead(ad: Ad, now_ms: number): boolean {
    return isAhead(ad, dayOfAd(ad, this.#countersOf(ad), now_ms));
  }

  /** Returns a random ad with an AUTO bid. */
  someAuto(lists: readonly AdList[]): Ranked | undefined {
    const { autos } = this.#lists.get(lists[Math.floor(this.#chance() * lists.length)]!) ?? { autos: [] };
    return autos[Math.floor(this.#chance() * autos.length)];
  }

  /** Raises the AUTO bid of an ad that lost only by its bid. */
  raise(ad: Ad): void {
    const now_ms = this.#clock.now();
    // A higher bid would not help an ad that is ahead of its plan.
    if (!this.#isAhead(ad, now_ms)) this.#bids.raise(ad, now_ms);
  }
}

function rankedList({ ads, changes }: AdList, at_ms: number): RankedList {
  const entries = ads.map((ad) => {
    return { ad, factors: { bid: 0, quality: 0, probability: ad.probability }, rank: 0, tie: 0 };
  });
  const autos = entries.filter(({ ad }) => ad.bid.strategy === 'AUTO');
  return { entries, autos, changes, at_ms, for_ms: autos.length > 0 ? RANKED_MS : RANKED_WITHOUT_AUTO_MS };
}
