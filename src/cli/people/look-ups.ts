import { hash } from 'node:crypto';
import { COUNTRY_CODES } from '../../contract/declare/codes.ts';
import {
  devices,
  interests,
  languages,
  locations,
  networkOperators,
  platforms,
  platformVersions,
  storeCategories,
} from '../../features/ads/reference/entries.ts';
import { referenceEntry } from '../../features/ads/reference/lookup.ts';
import { atFirstUse } from '../../features/ads/reference/table.ts';

const TABLES = {
  LANGUAGE: languages,
  PLATFORM: platforms,
  PLATFORM_VERSION: platformVersions,
  DEVICE: devices,
  NETWORK_OPERATOR: networkOperators,
  INTEREST: interests,
  STORE_CATEGORY: storeCategories,
} as const;

/** Types of targeting whose values a file may give by value or by name. */
export type LookedUp = keyof typeof TABLES;

const byName = Object.fromEntries(
  Object.entries(TABLES).map(([type, entries]) => [
    type,
    atFirstUse(() => namesOf(entries().map(({ name, targeting_value }) => [name, targeting_value]))),
  ]),
) as Record<LookedUp, () => ReadonlyMap<string, string>>;

/** Values by name in lower case; a name that several values have is no name. */
function namesOf(pairs: readonly (readonly [name: string, value: string])[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (found.has(key)) twice.add(key);
    found.set(key, value);
  }
  for (const key of twice) found.delete(key);
  return found;
}

/** The value that a text means, which is one itself or a name; undefined when it means none. */
export function lookedUp(type: LookedUp, text: string): string | undefined {
  const value = text.trim();
  return referenceEntry(type, value)?.targeting_value ?? byName[type]().get(value.toLowerCase());
}

/** The kinds of places within a country. */
export type PlaceKind = 'REGIONS' | 'METROS' | 'CITIES' | 'POSTAL_CODES';

const placesByName = atFirstUse(() =>
  namesOf(
    locations().flatMap(({ location_type: type, country_code: country, name, targeting_value: value }) => [
      [`${type}:${name}`, value] as const,
      [`${type}:${country}:${name}`, value] as const,
    ]),
  ),
);

/**
 * A place by its value, by its ISO 3166-2 code (regions), or by its name, and the country in which it is; undefined when
 * there is none. A name that several countries have needs its country.
 */
export function placeMeant(
  kind: PlaceKind,
  text: string,
  country: string | null,
): { readonly value: string; readonly country: string } | undefined {
  const name = text.trim();
  const value =
    [name, hash('sha256', `${kind}:${name}`).slice(0, 16)].find((each) => isPlace(kind, each)) ??
    placesByName().get(`${kind}:${country ? `${country}:` : ''}${name}`.toLowerCase());
  return value === undefined ? undefined : { value, country: referenceEntry('LOCATION', value)!.country_code! };
}

function isPlace(kind: PlaceKind, value: string): boolean {
  return referenceEntry('LOCATION', value)?.location_type === kind;
}

const countries = atFirstUse(
  () =>
    new Map(
      locations()
        .filter(({ location_type }) => location_type === 'COUNTRIES')
        .flatMap(({ name, country_code, targeting_value }) => [
          [name.toLowerCase(), country_code] as const,
          [targeting_value, country_code] as const,
        ]),
    ),
);
const codes = new Set(COUNTRY_CODES);

/** The code of a country, given as such, by name, or by the value with which it is targeted. */
export function countryMeant(text: string): string | undefined {
  const name = text.trim();
  const code = name.toUpperCase();
  return codes.has(code) ? code : countries().get(name.toLowerCase());
}
