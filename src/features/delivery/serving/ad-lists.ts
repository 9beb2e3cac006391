import type { Viewer } from './viewer.ts';

/** Ads that are meant for the same places; rankings may change their order. */
export interface AdList<A> {
  readonly ads: A[];
  /** Counts the changes of what is in it. */
  changes: number;
}

/** The only countries and platforms that an ad is for; undefined where it is for all. */
export interface Places {
  readonly countries: readonly string[] | undefined;
  readonly platforms: readonly string[] | undefined;
}

/** Ads by country and platform, so that a decision looks only at those that could be meant. */
export interface AdLists<A> {
  /** Replaces some ads by others. */
  replace(before: readonly A[], by: readonly A[]): void;
  /** The lists of the ads that could be meant for a viewer. */
  for(viewer: Pick<Viewer, 'words'>): readonly AdList<A>[];
}

/** An ad that is for more places than these is in the list of all. */
const PLACES_MAX = 64;

/** Keeps ads by the places that they are for. @source decision 978 */
export function adLists<A extends Places>(): AdLists<A> {
  const lists = new Map<string, AdList<A>>();
  const byPlace = (ads: readonly A[]): Map<string, A[]> => {
    const found = new Map<string, A[]>();
    for (const ad of ads) {
      for (const place of placesOf(ad)) {
        const others = found.get(place);
        if (others) others.push(ad);
        else found.set(place, [ad]);
      }
    }
    return found;
  };
  return {
    replace(before, by) {
      const gone = new Set(before);
      for (const place of byPlace(before).keys()) {
        const list = lists.get(place)!;
        let kept = 0;
        for (const ad of list.ads) if (!gone.has(ad)) list.ads[kept++] = ad;
        list.ads.length = kept;
        list.changes += 1;
      }
      for (const [place, ads] of byPlace(by)) {
        const list = lists.get(place) ?? { ads: [], changes: 0 };
        for (const ad of ads) list.ads.push(ad);
        list.changes += 1;
        lists.set(place, list);
      }
    },
    for({ words: { country, platform } }) {
      const found: AdList<A>[] = [];
      for (const one of country === null ? [''] : ['', country]) {
        for (const other of platform === null ? [''] : ['', platform]) {
          const list = lists.get(`${one} ${other}`);
          if (list) found.push(list);
        }
      }
      return found;
    },
  };
}

function placesOf({ countries, platforms }: Places): readonly string[] {
  const one = countries && countries.length <= PLACES_MAX ? [...new Set(countries)] : [''];
  const other = platforms && platforms.length * one.length <= PLACES_MAX ? [...new Set(platforms)] : [''];
  return one.flatMap((country) => other.map((platform) => `${country} ${platform}`));
}
