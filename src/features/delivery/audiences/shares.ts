import type { PeopleHistogram, PersonWord } from '../../../contract/store/directory.ts';
import { marketCode } from '../../ads/reference/market-codes.ts';
import { referenceEntry } from '../../ads/reference/reference-entry.ts';
import { locations } from '../../ads/reference/targeting-tables.ts';
import { lazy } from '../../ads/reference/tsv-table.ts';

/** The segment of people of whom it is not known. */
export const UNKNOWN = 'UNKNOWN';

/** Segments with a number of people, at most, by segmentation type. @source decision 952 */
export const SEGMENTS_MAX = 200;

/** Disjoint ranges of ages; both ends are inclusive. @source analytics 7 */
const AGES = [
  ['AGE_13_TO_17', 13, 17],
  ['AGE_18_TO_24', 18, 24],
  ['AGE_25_TO_34', 25, 34],
  ['AGE_35_TO_49', 35, 49],
  ['AGE_OVER_50', 50, 255],
] as const;

/** The attribute of a person behind a segmentation type, and its segment values. */
interface Dimension {
  readonly word: PersonWord;
  /** The segment value of a value of the directory; undefined when the reference data lacks it. */
  segmentOf(value: string): string | undefined;
}

const countryIds = lazy(
  () =>
    new Map(
      locations()
        .filter(({ location_type }) => location_type === 'COUNTRIES')
        .map(({ country_code, targeting_value }) => [country_code, targeting_value]),
    ),
);
const known = (type: string) => (value: string) => (referenceEntry(type, value) ? value : undefined);

const DIMENSIONS = {
  GENDER: { word: 'gender', segmentOf: (value) => (value === '1' || value === '2' ? value : undefined) },
  PLATFORMS: { word: 'platform', segmentOf: known('PLATFORM') },
  LOCATIONS: { word: 'country', segmentOf: (code) => countryIds().get(code) },
  REGIONS: { word: 'region', segmentOf: known('LOCATION') },
  METROS: { word: 'metro', segmentOf: (place) => marketCode(place) ?? known('LOCATION')(place) },
  LANGUAGES: { word: 'language', segmentOf: known('LANGUAGE') },
  DEVICES: { word: 'device', segmentOf: known('DEVICE') },
  PLATFORM_VERSIONS: { word: 'platform_version', segmentOf: known('PLATFORM_VERSION') },
} as const satisfies Readonly<Record<string, Dimension>>;

/** The segmentation types by which people are counted. @source analytics 7 */
export const SEGMENTATIONS = ['AGE', ...Object.keys(DIMENSIONS)] as readonly ('AGE' | keyof typeof DIMENSIONS)[];

/** The attributes that a histogram needs. */
export const COUNTED_WORDS: readonly PersonWord[] = Object.values(DIMENSIONS).map(({ word }) => word);

/** People by segmentation type and segment value; those of a type add up to all of them, with `UNKNOWN`. */
export type Shares = Record<string, Record<string, number>>;

/** The shares of counted people. Segments without people are left out. */
export function sharesOf(histogram: PeopleHistogram): Shares {
  const { people, words, ages } = histogram;
  const shares: Shares = { AGE: completed(people, new Map(agesOf(ages))) };
  for (const [type, { word, segmentOf }] of Object.entries(DIMENSIONS) as [string, Dimension][]) {
    const found = new Map<string, number>();
    for (const [value, count] of Object.entries(words[word] ?? {})) {
      const segment = segmentOf(value);
      if (segment !== undefined) found.set(segment, (found.get(segment) ?? 0) + count);
    }
    shares[type] = completed(people, found);
  }
  return shares;
}

function agesOf(ages: readonly number[]): [bucket: string, people: number][] {
  return AGES.map(([bucket, from, to]) => [bucket, ages.slice(from, to + 1).reduce((sum, each) => sum + each, 0)]);
}

/** The largest segments in the order of their values, and everybody else as unknown. */
function completed(people: number, counts: ReadonlyMap<string, number>): Record<string, number> {
  const bySize = [...counts].filter(([, count]) => count > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const kept = bySize.slice(0, SEGMENTS_MAX).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = kept.reduce((left, [, count]) => left - count, people);
  return Object.fromEntries(rest > 0 ? [...kept, [UNKNOWN, rest]] : kept);
}

/** The segment of one person, by segmentation type. */
export function segmentsOfPerson(person: {
  readonly age: number | null;
  readonly words: Readonly<Partial<Record<PersonWord, string | null>>>;
}): Record<string, string> {
  const { age, words } = person;
  const [bucket = UNKNOWN] = AGES.find(([, from, to]) => age !== null && age >= from && age <= to) ?? [];
  const found: Record<string, string> = { AGE: bucket };
  for (const [type, { word, segmentOf }] of Object.entries(DIMENSIONS) as [string, Dimension][]) {
    const value = words[word];
    found[type] = (value == null ? undefined : segmentOf(value)) ?? UNKNOWN;
  }
  return found;
}
