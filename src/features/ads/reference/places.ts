import { hash } from 'node:crypto';
import { COUNTRY_CODES } from '../../../contract/declare/codes.ts';
import { countryName } from './localized-names.ts';
import { readTable } from './tsv-table.ts';

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

/** Ids fixed by the reference; others are derived. @source campaigns 11 */
const PUBLISHED_IDS: Readonly<Record<string, string>> = {
  'COUNTRIES:US': '96683cc9126741d1',
  'METROS:US:San Francisco-Oakland-San Jose CA': '5122804691e5fecc',
  'CITIES:US:Los Angeles': '3b77caf94bfc81fe',
};

/** Every location: countries by name, then the rest in the order of the table. */
export function allPlaces(): Place[] {
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
