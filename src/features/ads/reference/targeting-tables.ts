import { allPlaces, type Place } from './places.ts';
import { type Line, lazy, readTable } from './tsv-table.ts';

/** The values that can be targeted, by targeting type; tables are read at first use. */

/** A table that is read once, at first use. */
function table<C extends string = never>(name: string): () => readonly Line<C | 'targeting_value' | 'name'>[] {
  return lazy(() => readTable<C | 'targeting_value' | 'name'>(name));
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
