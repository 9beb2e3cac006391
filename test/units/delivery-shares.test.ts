import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PeopleHistogram } from '../../src/contract/store/directory.ts';
import { findSegmentPlace, marketCode, placeOfMarket } from '../../src/features/ads/reference/market-codes.ts';
import { unknownWithin } from '../../src/features/ads/reference/segment-wholes.ts';
import { devices, languages, locations, platformVersions } from '../../src/features/ads/reference/targeting-tables.ts';
import {
  COUNTED_WORDS,
  SEGMENTATIONS,
  SEGMENTS_MAX,
  segmentsOfPerson,
  sharesOf,
  UNKNOWN,
} from '../../src/features/delivery/audiences/shares.ts';
import { fc } from '../rig/laws.ts';

const placesOf = (type: string) => locations().filter(({ location_type }) => location_type === type);
const idOf = (name: string, type: string) => placesOf(type).find((place) => place.name === name)!.targeting_value;
const values = (entries: readonly { readonly targeting_value: string }[]) =>
  entries.map(({ targeting_value }) => targeting_value);

/** What the directory may say of people, with a word that no table has. */
const WORDS = {
  gender: ['1', '2', '7'],
  platform: ['0', '1', '4', '99'],
  country: ['US', 'DE', 'AT', 'XX'],
  region: [...values(placesOf('REGIONS')), 'nowhere'],
  metro: [...values(placesOf('METROS')), 'nowhere'],
  language: [...values(languages()), 'xx'],
  device: [...values(devices()), '!'],
  platform_version: [...values(platformVersions()), '!'],
};

const AGE_BUCKETS: readonly (readonly [bucket: string, isIn: (age: number) => boolean])[] = [
  ['AGE_13_TO_17', (age) => age >= 13 && age < 18],
  ['AGE_18_TO_24', (age) => age >= 18 && age < 25],
  ['AGE_25_TO_34', (age) => age >= 25 && age < 35],
  ['AGE_35_TO_49', (age) => age >= 35 && age < 50],
  ['AGE_OVER_50', (age) => age >= 50],
  [UNKNOWN, (age) => age < 13],
];

type Somebody = { readonly age: number } & Readonly<Record<keyof typeof WORDS, string | null>>;
const somebody: fc.Arbitrary<Somebody> = fc.record({
  age: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 150 })),
  ...(Object.fromEntries(
    Object.entries(WORDS).map(([word, all]) => [word, fc.option(fc.constantFrom(...all))]),
  ) as Record<keyof typeof WORDS, fc.Arbitrary<string | null>>),
});

/** A histogram as the directory makes it. */
function histogramOf(people: readonly Somebody[]): PeopleHistogram {
  const ages = new Array<number>(256).fill(0);
  for (const { age } of people) ages[age]! += 1;
  const words = COUNTED_WORDS.map((word) => {
    const all = people.map((each) => each[word as keyof typeof WORDS]).filter((value) => value !== null);
    return [
      word,
      Object.fromEntries([...Map.groupBy(all, (value) => value)].map(([key, found]) => [key, found.length])),
    ];
  });
  return { people: people.length, ages, words: Object.fromEntries(words) };
}

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, each) => sum + each, 0);

describe('shares of counted people', () => {
  test('add up to all of them by each segmentation type, and agree with a count one by one', () => {
    fc.assert(
      fc.property(fc.array(somebody, { maxLength: 80 }), (people) => {
        const shares = sharesOf(histogramOf(people));
        assert.deepEqual(Object.keys(shares), SEGMENTATIONS);
        for (const [type, counts] of Object.entries(shares)) {
          assert.equal(sumOf(counts), people.length, type);
          assert.ok(Object.values(counts).every((count) => count > 0));
        }
        for (const [bucket, isIn] of AGE_BUCKETS) {
          assert.equal(shares.AGE![bucket] ?? 0, people.filter(({ age }) => isIn(age)).length, bucket);
        }
        const having = (word: keyof typeof WORDS, value: string) =>
          people.filter((each) => each[word] === value).length;
        assert.equal(shares.GENDER!['2'] ?? 0, having('gender', '2'));
        assert.equal(shares.PLATFORMS!['4'] ?? 0, having('platform', '4'));
        assert.equal(shares.LOCATIONS![idOf('Germany', 'COUNTRIES')] ?? 0, having('country', 'DE'));
        const seattle = idOf('Seattle-Tacoma WA', 'METROS');
        assert.equal(shares.METROS!['819'] ?? 0, having('metro', seattle));
        const isListed = ({ device }: Somebody) => device !== null && device !== '!';
        const unlisted = Object.entries(shares.DEVICES!).filter(([value]) => value.startsWith(UNKNOWN));
        assert.equal(sumOf(Object.fromEntries(unlisted)), people.filter((each) => !isListed(each)).length);
      }),
    );
  });

  test('keep the largest segments; people of all others are unknown', () => {
    const regions = values(placesOf('REGIONS'));
    const counts = Object.fromEntries(regions.map((region, index) => [region, index + 1]));
    const people = sumOf(counts) + 10;
    const { REGIONS: found } = sharesOf({ people, ages: [people], words: { region: counts } });
    const kept = regions.slice(-SEGMENTS_MAX);
    assert.deepEqual(new Set(Object.keys(found!)), new Set([...kept, UNKNOWN]));
    assert.equal(found![regions.at(-1)!], regions.length);
    assert.equal(sumOf(found!), people);
  });

  test('tell people of whom only the country or platform is known by that, like those of one person', () => {
    const [us, germany] = [idOf('United States', 'COUNTRIES'), idOf('Germany', 'COUNTRIES')];
    const nobody = { gender: null, language: null, metro: null, region: null, platform_version: null };
    const people = [
      { ...nobody, age: 20, country: 'US', region: idOf('California', 'REGIONS'), platform: '0', device: '1q' },
      { ...nobody, age: 20, country: 'US', platform: '0', device: null },
      { ...nobody, age: 20, country: 'DE', platform: '4', device: null },
      { ...nobody, age: 20, country: null, platform: null, device: null },
    ];
    const shares = sharesOf(histogramOf(people));
    const expected = [idOf('California', 'REGIONS'), unknownWithin(us), unknownWithin(germany), UNKNOWN];
    assert.deepEqual(shares.REGIONS, Object.fromEntries(expected.map((value) => [value, 1])));
    for (const type of ['REGIONS', 'METROS', 'DEVICES', 'PLATFORM_VERSIONS']) {
      const ofEach = people.map(({ age, ...words }) => segmentsOfPerson({ age, words })[type]!);
      const counted = [...Map.groupBy(ofEach, (value) => value)].map(([value, all]) => [value, all.length]);
      assert.deepEqual(shares[type], Object.fromEntries(counted), type);
    }
  });

  test('names and countries are those of places and of markets', () => {
    assert.equal(findSegmentPlace(idOf('California', 'REGIONS'))?.country_code, 'US');
    assert.equal(findSegmentPlace(idOf('Austria', 'COUNTRIES'))?.country_code, 'AT');
    assert.equal(findSegmentPlace('819')?.name, 'Seattle-Tacoma WA');
    assert.equal(findSegmentPlace(UNKNOWN), undefined);
  });

  test('every metro has a market code of its own', () => {
    const codes = values(placesOf('METROS')).map((place) => marketCode(place)!);
    assert.ok(codes.every((code) => /^\d{3}$/.test(code)));
    assert.equal(new Set(codes).size, codes.length);
    assert.deepEqual(codes.map(placeOfMarket), values(placesOf('METROS')));
  });
});
