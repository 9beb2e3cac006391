/** How well creatives do, by what this process has seen of them: 1 until more is known. @source decision 979 */
export interface Quality {
  of(creative: string): number;
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
  return {
    of(creative) {
      const found = counts.get(creative);
      if (!found) return 1;
      const rate = (found.clicks + EXPECTED * WEIGHT) / (found.views + WEIGHT);
      return Math.min(MOST, Math.max(LEAST, rate / EXPECTED));
    },
    viewed(creative) {
      countOf(creative).views += 1;
    },
    clicked(creative) {
      countOf(creative).clicks += 1;
    },
  };
}
