import { lookUpPlace } from './by-name.ts';
import { type ReferenceEntry, referenceEntry } from './reference-entry.ts';
import { lazy, readTable } from './tsv-table.ts';

const codesByPlace = lazy(
  () =>
    new Map(
      readTable<'market_code' | 'country_code' | 'name'>('market-codes').map(({ market_code, country_code, name }) => [
        lookUpPlace('METROS', name, country_code)!.value,
        market_code,
      ]),
    ),
);
const placesByCode = lazy(() => new Map([...codesByPlace()].map(([place, code]) => [code, place])));

/** Returns the code of a metro in reports, such as `819`, by its location id; undefined for metros without a code. */
export function marketCode(place: string): string | undefined {
  return codesByPlace().get(place);
}

/** Returns the location id of the metro with this code. */
export function placeOfMarket(code: string): string | undefined {
  return placesByCode().get(code);
}

/**
 * Returns the place of a segment value by location, region or metro; undefined for `UNKNOWN`.
 * @source decision 952
 */
export function findSegmentPlace(segment: string): ReferenceEntry | undefined {
  return referenceEntry('LOCATION', placeOfMarket(segment) ?? segment);
}
