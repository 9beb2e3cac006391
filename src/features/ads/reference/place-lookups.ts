import Type from 'typebox';
import { oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { DEFAULT_PAGING, nameSearch } from './lookup-operation.ts';
import { LOCATION_TYPES, type Place } from './places.ts';
import { columnEquals, countryField, targetingLookup, targetingMembers } from './targeting-lookup.ts';
import { languages, locations, networkOperators } from './targeting-tables.ts';
import type { Line } from './tsv-table.ts';

/** Places: countries, and what is in some of them. */
export const locationLookup: Operation = targetingLookup<Place>({
  name: 'locations',
  about: 'Places: countries, and regions, metros, cities and postal codes of some.',
  filters: {
    ...nameSearch<Place>(),
    country_code: columnEquals('country_code', countryField()),
    location_type: columnEquals('location_type', oneOf(...LOCATION_TYPES).describe('Only this kind of place.')),
  },
  example: { q: 'los angeles', location_type: 'CITIES' },
  paging: DEFAULT_PAGING,
  row: {
    name: Type.String(),
    country_code: Type.String(),
    location_type: Type.Union(LOCATION_TYPES.map((type) => Type.Literal(type))),
    ...targetingMembers('LOCATION'),
  },
  rows: locations,
});

/** Languages. */
export const languageLookup: Operation = targetingLookup<Line<'name' | 'targeting_value'>>({
  name: 'languages',
  about: 'Languages, by ISO 639-1 code.',
  filters: nameSearch(),
  example: { q: 'dan' },
  paging: DEFAULT_PAGING,
  row: { name: Type.String(), ...targetingMembers('LANGUAGE') },
  rows: languages,
});

/** Carriers, of the United States when no country is given. */
export const networkOperatorLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'country_code'>>({
  name: 'network_operators',
  about: 'Carriers of a country.',
  filters: { country_code: columnEquals('country_code', countryField().defaults('US')), ...nameSearch() },
  example: { country_code: 'DE', count: '2' },
  paging: DEFAULT_PAGING,
  row: { name: Type.String(), country_code: Type.String(), ...targetingMembers('NETWORK_OPERATOR') },
  rows: networkOperators,
});
