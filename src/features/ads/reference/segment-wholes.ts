import { COUNTRY_CODES } from '../../../contract/declare/codes.ts';
import { findSegmentPlace } from './market-codes.ts';
import { referenceEntry } from './reference-entry.ts';
import { locations, platforms } from './targeting-tables.ts';
import { lazy } from './tsv-table.ts';

/** The platform of devices on an unknown platform. */
export const OTHER_DEVICES = '3';
/** The country of accounts whose time zone has no country, such as UTC. */
const DEFAULT_COUNTRY = 'US';
/** Prefix of segment values for people with only a known country or platform. */
const UNKNOWN_WITHIN = 'UNKNOWN/';

const countryIds = lazy(
  () =>
    new Map(
      locations()
        .filter(({ location_type }) => location_type === 'COUNTRIES')
        .map(({ country_code, targeting_value }) => [country_code, targeting_value]),
    ),
);
const platformIds = lazy(
  () => new Map(platforms().flatMap(({ os_type, targeting_value }) => (os_type ? [[os_type, targeting_value]] : []))),
);
const countriesOfZones = lazy(() => {
  const found = new Map<string, string>();
  for (const code of COUNTRY_CODES) {
    const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones(): readonly string[] | undefined };
    for (const zone of locale.getTimeZones() ?? []) found.set(canonical(zone), code);
  }
  return found;
});

function canonical(zone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
}

/** Returns the location id of a country by its code; undefined for anything else. */
export function countryId(code: string): string | undefined {
  return countryIds().get(code);
}

/** Returns the location id of the country of a time zone. @source decision 963 */
export function countryOfZone(zone: string): string {
  return countryId(countriesOfZones().get(canonical(zone)) ?? DEFAULT_COUNTRY)!;
}

/** Returns the segment value for people with only this country or platform known. @source decision 1110 */
export function unknownWithin(whole: string): string {
  return UNKNOWN_WITHIN + whole;
}

/** Tests whether a segment value names only a country or platform. */
export function isUnknownWithin(value: string): boolean {
  return value.startsWith(UNKNOWN_WITHIN);
}

/**
 * Returns the country or platform of a segment value, as a targeting value; undefined if unknown.
 * @param lookup the targeting type of the value, such as `LOCATION`
 */
export function findWhole(lookup: string, value: string): string | undefined {
  if (isUnknownWithin(value)) return value.slice(UNKNOWN_WITHIN.length);
  if (lookup === 'LOCATION') return countryId(findSegmentPlace(value)?.country_code ?? '');
  return platformIds().get(referenceEntry(lookup, value)?.os_type ?? '');
}
