import { hash } from 'node:crypto';
import { COUNTRY_CODES } from '../../../contract/declare/codes.ts';
import { referenceEntry } from './reference-entry.ts';
import {
  devices,
  interests,
  languages,
  locations,
  networkOperators,
  platforms,
  platformVersions,
  storeCategories,
} from './targeting-tables.ts';
import { lazy } from './tsv-table.ts';

const TABLES = {
  LANGUAGE: languages,
  PLATFORM: platforms,
  PLATFORM_VERSION: platformVersions,
  DEVICE: devices,
  NETWORK_OPERATOR: networkOperators,
  INTEREST: interests,
  STORE_CATEGORY: storeCategories,
} as const;

/** Targeting types whose values can be looked up by value or by name. */
export type LookUpType = keyof typeof TABLES;

const byName = Object.fromEntries(
  Object.entries(TABLES).map(([type, entries]) => [
    type,
    lazy(() => namesOf(entries().map(({ name, targeting_value }) => [name, targeting_value]))),
  ]),
) as Record<LookUpType, () => ReadonlyMap<string, string>>;

/** Maps lower-case names to values, without ambiguous names. */
function namesOf(pairs: readonly (readonly [name: string, value: string])[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (found.has(key)) ambiguous.add(key);
    found.set(key, value);
  }
  for (const key of ambiguous) found.delete(key);
  return found;
}

/** Returns the targeting value with a value or name, if there is one. */
export function lookUpValue(type: LookUpType, text: string): string | undefined {
  const value = text.trim();
  return referenceEntry(type, value)?.targeting_value ?? byName[type]().get(value.toLowerCase());
}

/** Types of places within a country. */
export type PlaceKind = 'REGIONS' | 'METROS' | 'CITIES' | 'POSTAL_CODES';

const placesByName = lazy(() =>
  namesOf(
    locations().flatMap(({ location_type: type, country_code: country, name, targeting_value: value }) => [
      [`${type}:${name}`, value] as const,
      [`${type}:${country}:${name}`, value] as const,
    ]),
  ),
);

/**
 * Finds a place and its country, by targeting value, ISO 3166-2 code (regions) or name. A name that exists in several
 * countries needs `country`.
 */
export function lookUpPlace(
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

const countries = lazy(
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

/** Returns the code of a country, by code, name or targeting value. */
export function lookUpCountry(text: string): string | undefined {
  const name = text.trim();
  const code = name.toUpperCase();
  return codes.has(code) ? code : countries().get(name.toLowerCase());
}
