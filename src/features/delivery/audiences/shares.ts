import type { PeopleHistogram, PersonWord } from '../../../contract/store/directory.ts';
import { marketCode } from '../../ads/reference/market-codes.ts';
import { referenceEntry } from '../../ads/reference/reference-entry.ts';
import { countryId, findWhole, unknownWithin } from '../../ads/reference/segment-wholes.ts';

/** The segment of people without a known value. */
export const UNKNOWN = 'UNKNOWN';

/** Maximum number of counted segments of a segmentation type. @source decision 952 */
export const SEGMENTS_MAX = 200;

/** Disjoint age ranges, both ends inclusive. @source analytics 7 */
const AGES = [
  ['AGE_13_TO_17', 13, 17],
  ['AGE_18_TO_24', 18, 24],
  ['AGE_25_TO_34', 25, 34],
  ['AGE_35_TO_49', 35, 49],
  ['AGE_OVER_50', 50, 255],
] as const;

/** A segmentation type: the attribute of a person, and its segment values. */
interface Dimension {
  readonly word: PersonWord;
  /** Maps a value of the directory to a segment; undefined if the reference data lacks it. */
  segmentOf(value: string): string | undefined;
  /** The segmentation type that contains its values, countries or platforms, and the targeting type of its values. */
  readonly within?: { readonly type: 'LOCATIONS' | 'PLATFORMS'; readonly lookup: string };
}

const OF_COUNTRIES = { type: 'LOCATIONS', lookup: 'LOCATION' } as const;
const known = (type: string) => (value: string) => (referenceEntry(type, value) ? value : undefined);

const DIMENSIONS = {
  GENDER: { word: 'gender', segmentOf: (value) => (value === '1' || value === '2' ? value : undefined) },
  PLATFORMS: { word: 'platform', segmentOf: known('PLATFORM') },
  LOCATIONS: { word: 'country', segmentOf: countryId },
  REGIONS: { word: 'region', segmentOf: known('LOCATION'), within: OF_COUNTRIES },
  METROS: {
    word: 'metro',
    segmentOf: (place) => marketCode(place) ?? known('LOCATION')(place),
    within: OF_COUNTRIES,
  },
  LANGUAGES: { word: 'language', segmentOf: known('LANGUAGE') },
  DEVICES: { word: 'device', segmentOf: known('DEVICE'), within: { type: 'PLATFORMS', lookup: 'DEVICE' } },
  PLATFORM_VERSIONS: {
    word: 'platform_version',
    segmentOf: known('PLATFORM_VERSION'),
    within: { type: 'PLATFORMS', lookup: 'PLATFORM_VERSION' },
  },
} as const satisfies Readonly<Record<string, Dimension>>;

/** The segmentation types of audience counts. @source analytics 7 */
export const SEGMENTATIONS = ['AGE', ...Object.keys(DIMENSIONS)] as readonly ('AGE' | keyof typeof DIMENSIONS)[];

/** The attributes in histograms. */
export const COUNTED_WORDS: readonly PersonWord[] = Object.values(DIMENSIONS).map(({ word }) => word);

/**
 * People by segmentation type and segment value. Those of a type add up to the total, including `UNKNOWN` and people of
 * whom only the country or platform is known.
 * @source decision 1110
 */
type Shares = Record<string, Record<string, number>>;

/** Computes shares from a histogram, without empty segments. */
export function sharesOf(histogram: PeopleHistogram): Shares {
  const { people, words, ages } = histogram;
  const shares: Shares = { AGE: complete(people, new Map(agesOf(ages))) };
  for (const [type, { word, segmentOf, within }] of Object.entries(DIMENSIONS) as [string, Dimension][]) {
    const found = new Map<string, number>();
    for (const [value, count] of Object.entries(words[word] ?? {})) {
      const segment = segmentOf(value);
      if (segment !== undefined) found.set(segment, (found.get(segment) ?? 0) + count);
    }
    shares[type] = complete(people, found, within && { lookup: within.lookup, wholes: shares[within.type]! });
  }
  return shares;
}

function agesOf(ages: readonly number[]): [bucket: string, people: number][] {
  return AGES.map(([bucket, from, to]) => [bucket, ages.slice(from, to + 1).reduce((sum, each) => sum + each, 0)]);
}

/** Returns the largest segments by value, and all other people as unknown, by country or platform where possible. */
function complete(
  people: number,
  counts: ReadonlyMap<string, number>,
  within?: { readonly lookup: string; readonly wholes: Readonly<Record<string, number>> },
): Record<string, number> {
  const bySize = [...counts].filter(([, count]) => count > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const kept = bySize.slice(0, SEGMENTS_MAX).sort(([a], [b]) => (a < b ? -1 : 1));
  let rest = kept.reduce((left, [, count]) => left - count, people);
  const { [UNKNOWN]: _, ...wholes } = within?.wholes ?? {};
  const named = new Map<string | undefined, number>();
  for (const [value, count] of within ? kept : []) {
    const whole = findWhole(within!.lookup, value);
    named.set(whole, (named.get(whole) ?? 0) + count);
  }
  const unknown = Object.entries(wholes).map(([whole, count]): [string, number] => {
    const part = Math.max(0, Math.min(count - (named.get(whole) ?? 0), rest));
    rest -= part;
    return [unknownWithin(whole), part];
  });
  return Object.fromEntries([...kept, ...unknown, [UNKNOWN, rest] as const].filter(([, count]) => count > 0));
}

/** Returns the segment of a person by segmentation type. */
export function segmentsOfPerson(person: {
  readonly age: number | null;
  readonly words: Readonly<Partial<Record<PersonWord, string | null>>>;
}): Record<string, string> {
  const { age, words } = person;
  const [bucket = UNKNOWN] = AGES.find(([, from, to]) => age !== null && age >= from && age <= to) ?? [];
  const found: Record<string, string> = { AGE: bucket };
  for (const [type, { word, segmentOf, within }] of Object.entries(DIMENSIONS) as [string, Dimension][]) {
    const value = words[word];
    const whole = within ? found[within.type]! : UNKNOWN;
    found[type] =
      (value == null ? undefined : segmentOf(value)) ?? (whole === UNKNOWN ? UNKNOWN : unknownWithin(whole));
  }
  return found;
}
