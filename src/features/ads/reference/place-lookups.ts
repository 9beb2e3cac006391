import Type from 'typebox';
import { oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { languages, locations, networkOperators } from './entries.ts';
import { PAGES, search } from './lookups.ts';
import { LOCATION_TYPES, type Place } from './places.ts';
import type { Line } from './table.ts';
import { country, equals, targeted, targetingLookup } from './targeting-lookup.ts';

/** Places: countries, and what is in some of them. */
export const locationLookup: Operation = targetingLookup<Place>({
  name: 'locations',
  about: 'Places: countries, and regions, metros, cities and postal codes of some.',
  filters: {
    ...search<Place>(),
    country_code: equals('country_code', country()),
    location_type: equals('location_type', oneOf(...LOCATION_TYPES).says('Only this kind of place.')),
  },
  example: { q: 'los angeles', location_type: 'CITIES' },
  extent: PAGES,
  row: {
    name: Type.String(),
    country_code: Type.String(),
    location_type: Type.Union(LOCATION_TYPES.map((type) => Type.Literal(type))),
    ...targeted('LOCATION'),
  },
  rows: locations,
});

/** Languages. */
export const languageLookup: Operation = targetingLookup<Line<'name' | 'targeting_value'>>({
  name: 'languages',
  about: 'Languages, by ISO 639-1 code.',
  filters: search(),
  example: { q: 'dan' },
  extent: PAGES,
  row: { name: Type.String(), ...targeted('LANGUAGE') },
  rows: languages,
});

/** Carriers, of the United States when no country is given. */
export const networkOperatorLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'country_code'>>({
  name: 'network_operators',
  about: 'Carriers of a country.',
  filters: { country_code: equals('country_code', country().defaults('US')), ...search() },
  example: { country_code: 'DE', count: '2' },
  extent: PAGES,
  row: { name: Type.String(), country_code: Type.String(), ...targeted('NETWORK_OPERATOR') },
  rows: networkOperators,
});
