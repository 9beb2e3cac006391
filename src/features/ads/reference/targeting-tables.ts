import { hash } from 'node:crypto';
import { COUNTRY_CODES } from '../../../contract/declare/codes.ts';
import { countryName } from './localized-names.ts';
import { lazy, readTable, type TableRow } from './tsv-table.ts';

/** Declares a table that is read once, at first use. */
function table<C extends string = never>(name: string): () => readonly TableRow<C | 'targeting_value' | 'name'>[] {
  return lazy(() => readTable<C | 'targeting_value' | 'name'>(name));
}

/** Location types, wide to narrow. @source campaigns 10.1 */
export const LOCATION_TYPES = ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES'] as const;

/** A location that can be targeted. */
export interface Place {
  /** 16 hexadecimal digits. */
  readonly targeting_value: string;
  readonly name: string;
  readonly country_code: string;
  readonly location_type: (typeof LOCATION_TYPES)[number];
}

/** A television show and its markets. */
export interface Show {
  readonly targeting_value: string;
  readonly name: string;
  readonly genre: string;
  /** Such as `en-US`. */
  readonly markets: readonly string[];
  /** ISO 3166-1 alpha-2 codes of its markets. */
  readonly country_codes: readonly string[];
}

/** Locations of all types. */
export const locations: () => readonly Place[] = lazy(allPlaces);
/** Languages, by ISO 639-1 code. */
export const languages = table('languages');
/** Platforms: operating systems, mobile web and computers. */
export const platforms = table<'os_type'>('platforms');
/** Versions of operating systems, oldest first. */
export const platformVersions = table<'number' | 'os_type'>('platform-versions');
/** Models of phones and tablets. */
export const devices = table<'manufacturer' | 'os_type'>('devices');
/** Mobile carriers. */
export const networkOperators = table<'country_code'>('network-operators');
/** Interests, as `Category/Subcategory`. */
export const interests = table('interests');
/** Conversation topics. */
export const conversations = table<'conversation_type'>('conversations');
/** App store categories. */
export const storeCategories = table<'os_type'>('store-categories');
/** Television shows. */
export const shows: () => readonly Show[] = lazy(() =>
  readTable<'targeting_value' | 'name' | 'genre' | 'markets'>('tv-shows').map((line) => {
    const markets = line.markets.split(',');
    return { ...line, markets, country_codes: [...new Set(markets.map((market) => market.slice(-2)))] };
  }),
);

/** Ids fixed by the reference; others are derived. @source campaigns 11 */
const PUBLISHED_IDS: Readonly<Record<string, string>> = {
  'COUNTRIES:US': '96683cc9126741d1',
  'METROS:US:San Francisco-Oakland-San Jose CA': '5122804691e5fecc',
  'CITIES:US:Los Angeles': '3b77caf94bfc81fe',
};

/** Returns every location: countries by name, then the rest in the order of the table. */
function allPlaces(): Place[] {
  const countries = COUNTRY_CODES.map((code) => place('COUNTRIES', code, countryName(code, 'en')!, code));
  countries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const within = readTable<'location_type' | 'country_code' | 'name' | 'code'>('places').map((line) => {
    const type = line.location_type as Place['location_type'];
    return place(type, line.country_code, line.name, line.code || `${line.country_code}:${line.name}`);
  });
  return [...countries, ...within];
}

/** Ids are derived from the location, so they stay stable when the table grows. @source campaigns 11; decision 160 */
function place(type: Place['location_type'], country: string, name: string, key: string): Place {
  const what = `${type}:${key}`;
  const value = PUBLISHED_IDS[what] ?? hash('sha256', what).slice(0, 16);
  return { targeting_value: value, name, country_code: country, location_type: type };
}
