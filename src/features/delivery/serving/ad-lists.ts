import type { Viewer } from './viewer.ts';

/** Ads that target the same places; rankings may change their order. */
export interface AdList<A> {
  readonly ads: A[];
  /** Increases with each change of the ads. */
  changes: number;
}

/** The only countries and platforms that an ad is for; undefined where it is for all. */
interface Places {
  readonly countries: readonly string[] | undefined;
  readonly platforms: readonly string[] | undefined;
}

/** An ad that is for more places than these is in the list of all. */
const PLACES_MAX = 64;

/** Ads by country and platform, so that a decision considers only possible ones. @source decision 978 */
export class AdLists<A extends Places> {
  readonly #lists = new Map<string, AdList<A>>();

  /** Replaces some ads by others. */
  replace(before: readonly A[], by: readonly A[]): void {
    const gone = new Set(before);
    for (const place of byPlace(before).keys()) {
      const list = this.#lists.get(place)!;
      let kept = 0;
      for (const ad of list.ads) if (!gone.has(ad)) list.ads[kept++] = ad;
      list.ads.length = kept;
      list.changes += 1;
    }
    for (const [place, ads] of byPlace(by)) {
      const list = this.#lists.get(place) ?? { ads: [], changes: 0 };
      for (const ad of ads) list.ads.push(ad);
      list.changes += 1;
      this.#lists.set(place, list);
    }
  }

  /** The lists of ads that may target a viewer. */
  for({ words: { country, platform } }: Pick<Viewer, 'words'>): readonly AdList<A>[] {
    const found: AdList<A>[] = [];
    for (const one of country === null ? [''] : ['', country]) {
      for (const other of platform === null ? [''] : ['', platform]) {
        const list = this.#lists.get(`${one} ${other}`);
        if (list) found.push(list);
      }
    }
    return found;
  }
}

function byPlace<A extends Places>(ads: readonly A[]): Map<string, A[]> {
  const found = new Map<string, A[]>();
  for (const ad of ads) {
    for (const place of placesOf(ad)) {
      const others = found.get(place);
      if (others) others.push(ad);
      else found.set(place, [ad]);
    }
  }
  return found;
}

function placesOf({ countries, platforms }: Places): readonly string[] {
  const one = countries && countries.length <= PLACES_MAX ? [...new Set(countries)] : [''];
  const other = platforms && platforms.length * one.length <= PLACES_MAX ? [...new Set(platforms)] : [''];
  return one.flatMap((country) => other.map((platform) => `${country} ${platform}`));
}
