import { drawRate, type Outcomes } from './draw-rate.ts';

/** How well creatives do, by what this process has seen of them. @source decision 979 */
export interface Quality {
  /** 1 until more is known. */
  of(creative: string): number;
  /** Creatives in the order in which one of them is shown: at random, those that do better more often first. @source decision 1122 */
  inOrder<C extends { readonly id: string }>(creatives: readonly C[], chance: () => number): readonly C[];
  viewed(creative: string): void;
  clicked(creative: string): void;
}

const EXPECTED = 0.008;
/** So many impressions weigh as much as the expectation. */
const WEIGHT = 1000;
const [LEAST, MOST] = [0.5, 2];
const CREATIVES_MAX = 100_000;

/** Counts views and clicks of creatives. */
export function creativeQuality(): Quality {
  const counts = new Map<string, { views: number; clicks: number }>();
  const countOf = (creative: string) => {
    const found = counts.get(creative) ?? { views: 0, clicks: 0 };
    if (counts.size >= CREATIVES_MAX) counts.clear();
    counts.set(creative, found);
    return found;
  };
  const outcomesOf = (creative: string): Outcomes => {
    const { views = 0, clicks = 0 } = counts.get(creative) ?? {};
    return { successes: clicks + EXPECTED * WEIGHT, trials: views + WEIGHT };
  };
  return {
    of(creative) {
      const { successes, trials } = outcomesOf(creative);
      return Math.min(MOST, Math.max(LEAST, successes / trials / EXPECTED));
    },
    inOrder(creatives, chance) {
      if (creatives.length === 1) return creatives;
      const drawn = creatives.map((creative) => [drawRate(outcomesOf(creative.id), chance()), creative] as const);
      return drawn.sort(([one], [other]) => other - one).map(([, creative]) => creative);
    },
    viewed(creative) {
      countOf(creative).views += 1;
    },
    clicked(creative) {
      countOf(creative).clicks += 1;
    },
  };
}
