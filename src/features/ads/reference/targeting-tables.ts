import { allPlaces, type Place } from './places.ts';
import { type Line, lazy, readTable } from './tsv-table.ts';

/** Everything that can be targeted, by targeting type: tables that are read when they are first asked for. */

/** Reads a table once, at first use. */
function table<C extends string = never>(name: string): () => readonly Line<C | 'targeting_value' | 'name'>[] {
  return lazy(() => readTable<C | 'targeting_value' | 'name'>(name));
}

/** A show, and the markets in which it is on. */
export interface Show {
  readonly targeting_value: string;
  readonly name: string;
  readonly genre: string;
  /** Such as `en-US`. */
  readonly markets: readonly string[];
  /** ISO 3166-1 alpha-2, where it is on. */
  readonly country_codes: readonly string[];
}

/** Places of all kinds. */
export const locations: () => readonly Place[] = lazy(allPlaces);
/** Languages, by ISO 639-1 code. */
export const languages = table('languages');
/** Operating systems and what else people use. */
export const platforms = table<'os_type'>('platforms');
/** Versions of operating systems. */
export const platformVersions = table<'number' | 'os_type'>('platform-versions');
/** Makes of phones and tablets. */
export const devices = table<'manufacturer' | 'os_type'>('devices');
/** Carriers. */
export const networkOperators = table<'country_code'>('network-operators');
/** What people care about, `Category/Subcategory`. */
export const interests = table('interests');
/** What people talk about. */
export const conversations = table<'conversation_type'>('conversations');
/** Categories of the stores of applications. */
export const storeCategories = table<'os_type'>('store-categories');
/** Shows on television. */
export const shows: () => readonly Show[] = lazy(() =>
  readTable<'targeting_value' | 'name' | 'genre' | 'markets'>('tv-shows').map((line) => {
    const markets = line.markets.split(',');
    return { ...line, markets, country_codes: [...new Set(markets.map((market) => market.slice(-2)))] };
  }),
);
