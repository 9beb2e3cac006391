import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { foldName } from '../../src/base/text.ts';
import { COUNTRY_CODES } from '../../src/contract/declare/codes.ts';
import {
  ADVERTISER_BUSINESS_CATEGORIES,
  CONTENT_CATEGORIES,
  CURATED_CATEGORIES,
  iabCategories,
  isIabCategory,
} from '../../src/features/ads/reference/categories.ts';
import { datesInYear, events, occurrencesFrom } from '../../src/features/ads/reference/recurring-events.ts';
import { localizedName, referenceEntry } from '../../src/features/ads/reference/reference-entry.ts';
import { CONVERSATION_TYPES } from '../../src/features/ads/reference/targeting-lookups.ts';
import * as entries from '../../src/features/ads/reference/targeting-tables.ts';

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

describe('the tables', () => {
  const folder = 'src/features/ads/reference/tables';
  for (const file of globSync(`${folder}/*.tsv`)) {
    test(`${file}: every line has all columns, and ids are unique`, () => {
      const [head, ...lines] = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n');
      const columns = head!.split('\t').length;
      for (const line of lines) assert.equal(line.split('\t').length, columns, line);
      const key = file.endsWith('places.tsv') ? (line: string) => line : (line: string) => line.split('\t')[0]!;
      assert.equal(new Set(lines.map(key)).size, lines.length);
      assert.ok(readFileSync(`${folder}/README.md`, 'utf8').includes(`\`${file.slice(folder.length + 1, -4)}\``));
    });
  }

  const { LOCATION_TYPES, ...tables } = entries;
  for (const [name, rows] of Object.entries(tables)) {
    test(`${name}: ids are unique, names are set`, () => {
      const all = (rows as () => readonly { targeting_value: string; name: string }[])();
      assert.ok(all.length >= 5);
      assert.equal(new Set(all.map((row) => row.targeting_value)).size, all.length);
      for (const row of all) assert.match(row.name, /^\S(.*\S)?$/u);
    });
  }

  test('sets of IAB categories contain existing categories', () => {
    assert.equal(iabCategories().length, 392);
    assert.equal(iabCategories().filter((row) => row.parent_id === null).length, 26);
    for (const row of iabCategories()) if (row.parent_id !== null) assert.ok(isIabCategory(row.parent_id), row.id);
    for (const group of [...CONTENT_CATEGORIES, ...ADVERTISER_BUSINESS_CATEGORIES]) {
      for (const id of group.iab_categories) assert.ok(isIabCategory(id), `${group.id}: ${id}`);
    }
    const sizes = (groups: readonly { id: string; iab_categories: readonly string[] }[]) =>
      Object.fromEntries(groups.map((group) => [group.id, group.iab_categories.length]));
    assert.deepEqual(
      [sizes(CONTENT_CATEGORIES).so, sizes(CONTENT_CATEGORIES).sp, sizes(ADVERTISER_BUSINESS_CATEGORIES)['1jt']],
      [16, 39, 36],
    );
    assert.equal(isIabCategory('IAB27'), false);
    assert.equal(isIabCategory('IAB24-1'), false);
  });

  test('countries and types in them are known', () => {
    assert.deepEqual([COUNTRY_CODES.length, new Set(COUNTRY_CODES).size], [249, 249]);
    const countries = [
      ...entries.locations().map((row) => row.country_code),
      ...entries.networkOperators().map((row) => row.country_code),
      ...entries.shows().flatMap((row) => row.country_codes),
      ...CURATED_CATEGORIES.flatMap((row) => row.country_codes),
      ...events().flatMap((row) => row.country_code || []),
    ];
    assert.deepEqual(
      [...new Set(countries)].filter((code) => !COUNTRY_CODES.includes(code)),
      [],
    );
    const types = new Set(entries.conversations().map((row) => row.conversation_type));
    assert.deepEqual([...types].sort(), [...CONVERSATION_TYPES].sort());
    assert.equal(new Set(entries.interests().map((row) => row.name.split('/')[0])).size, 25);
    assert.equal(
      entries.locations().filter((row) => row.country_code === 'US' && row.location_type === 'REGIONS').length,
      51,
    );
  });
});

describe('published ids are stable', () => {
  /** @source campaigns 11 */
  const printed: [type: string, value: string, name: string][] = [
    ['LOCATION', '96683cc9126741d1', 'United States'],
    ['LOCATION', '5122804691e5fecc', 'San Francisco-Oakland-San Jose CA'],
    ['LOCATION', '3b77caf94bfc81fe', 'Los Angeles'],
    ['LOCATION', hash('sha256', 'COUNTRIES:DE').slice(0, 16), 'Germany'],
    ['LANGUAGE', 'en', 'English'],
    ['PLATFORM', '0', 'iOS'],
    ['PLATFORM', '4', 'Desktop and laptop computers'],
    ['PLATFORM_VERSION', '17', 'Ice Cream Sandwich'],
    ['PLATFORM_VERSION', '18', 'Jelly Bean'],
    ['DEVICE', '1q', 'iPhone 3GS'],
    ['DEVICE', '1r', 'iPhone 4'],
    ['NETWORK_OPERATOR', '2l', 'Advantage'],
    ['NETWORK_OPERATOR', '1i', 'Airpeak'],
    ['INTEREST', '1001', 'Books and literature/Biographies and memoirs'],
    ['CONVERSATION', 'a1', 'NFL'],
    ['CONVERSATION', 'a2', 'NBA'],
    ['EVENT', '1ex', "New Year's"],
    ['STORE_CATEGORY', 'qouq', 'Games: Music'],
    ['STORE_CATEGORY_LOOKALIKE', 'qov2', 'Music'],
    ['IAB_CATEGORY', 'IAB1-1', 'Books & Literature'],
  ];
  for (const [type, value, name] of printed) {
    test(`${type} ${value} is ${name}`, () => assert.equal(referenceEntry(type, value)?.name, name));
  }

  test('unknown values have no entry, even names of object properties', () => {
    for (const [type, value] of [
      ['LOCATION', 'US'],
      ['GENDER', '1'],
      ['constructor', 'name'],
      ['LANGUAGE', 'EN'],
      ['PLATFORM', ''],
    ] as const) {
      assert.equal(referenceEntry(type, value), undefined, `${type} ${value}`);
    }
  });
});

describe('names in other languages', () => {
  const cases: [type: string, value: string, lang: string, name: string | undefined][] = [
    ['LOCATION', '96683cc9126741d1', 'de', 'Vereinigte Staaten'],
    ['LOCATION', '96683cc9126741d1', 'fr-CA', 'États-Unis'],
    ['LOCATION', '96683cc9126741d1', 'en', 'United States'],
    ['LOCATION', '3b77caf94bfc81fe', 'de', undefined],
    ['LANGUAGE', 'ja', 'es', 'japonés'],
    ['PLATFORM', '0', 'ja', 'iOS'],
    ['PLATFORM', '4', 'de', 'Desktop-Computer und Laptops'],
    ['PLATFORM', '4', 'sw', undefined],
    ['LOCATION', '96683cc9126741d1', 'german', undefined],
    ['LOCATION', '96683cc9126741d1', 'de_', undefined],
    ['LOCATION', '96683cc9126741d1', '', undefined],
    ['LOCATION', 'nowhere', 'de', undefined],
  ];
  for (const [type, value, lang, name] of cases) {
    test(`${type} ${value} in "${lang}": ${name}`, () => assert.equal(localizedName(type, value, lang), name));
  }

  test('every country and language has a name in English, German and Japanese', () => {
    const countries = entries.locations().filter((row) => row.location_type === 'COUNTRIES');
    for (const lang of ['en', 'de', 'ja']) {
      for (const row of countries) assert.ok(localizedName('LOCATION', row.targeting_value, lang), row.name);
      for (const row of entries.languages()) assert.ok(localizedName('LANGUAGE', row.targeting_value, lang), row.name);
    }
  });
});

describe('recurring dates', () => {
  const cases: [rule: string, year: number, ...days: string[]][] = [
    ['12-31', 2026, '2026-12-31'],
    ['11-22>Thu', 2026, '2026-11-26'],
    ['11-22>Thu', 2029, '2029-11-22'],
    ['05-25>Mon', 2026, '2026-05-25'],
    ['11-02>Tue', 2028, '2028-11-07'],
    ['easter+0', 2000, '2000-04-23'],
    ['easter+0', 2024, '2024-03-31'],
    ['easter+0', 2038, '2038-04-25'],
    ['easter-2', 2026, '2026-04-03'],
    ['hebrew Tishri 1', 2026, '2026-09-12'],
    ['islamic-umalqura Shawwal 1', 2026, '2026-03-20'],
    ['islamic-umalqura Ramadan 1', 2030, '2030-01-05', '2030-12-26'],
  ];
  for (const [rule, year, ...days] of cases) {
    test(`${rule} of ${year}`, () => assert.deepEqual(datesInYear(rule, year).map(day), days));
  }

  test('every event has a next occurrence at any time', () => {
    for (const from of [
      '1971-01-01T00:00:00Z',
      '2026-03-02T17:04:55Z',
      '2032-02-29T00:00:00Z',
      '2100-12-31T23:59:59Z',
    ]) {
      const found = occurrencesFrom(from);
      assert.equal(found.length, events().length, from);
      for (const { name, start_time, end_time } of found) {
        assert.ok(end_time > from && end_time > start_time, name);
        assert.match(start_time + end_time, /^(\d{4}-\d\d-\d\dT00:00:00Z){2}$/);
      }
    }
  });

  test('an event lasts until the end of its last day', () => {
    const at = (from: string, value: string) =>
      occurrencesFrom(from)
        .find((event) => event.targeting_value === value)!
        .start_time.slice(0, 10);
    assert.equal(at('2027-01-01T23:59:59Z', '1ex'), '2026-12-31');
    assert.equal(at('2027-01-02T00:00:00Z', '1ex'), '2027-12-31');
    assert.equal(at('2026-03-02T00:00:00Z', '1gt'), '2029-01-20');
    assert.equal(at('2029-01-21T00:00:00Z', '1gt'), '2033-01-20');
  });
});

test('name searches ignore case, accents and apostrophe variants', () => {
  const cases: [text: string, folded: string][] = [
    ['São Paulo', 'sao paulo'],
    ['CÔTE D’IVOIRE', "cote d'ivoire"],
    ['Lindenstraße', 'lindenstrasse'],
    ['Kōhaku', 'kohaku'],
    ['AT&T', 'at&t'],
    ['ＮＢＡ', 'nba'],
  ];
  for (const [text, folded] of cases) assert.equal(foldName(text), folded);
});
