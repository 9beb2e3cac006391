import { Type } from '../../../base/json-schema.ts';
import { oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { DEFAULT_PAGING, nameSearch } from './lookup-operation.ts';
import { LOCATION_TYPES, type Place } from './places.ts';
import { columnEquals, countryField, targetingLookup, targetingMembers } from './targeting-lookup.ts';
import { languages, locations, networkOperators } from './targeting-tables.ts';
import type { Line } from './tsv-table.ts';

/** Lists locations. */
export const locationLookup: Operation = targetingLookup<Place>({
  name: 'locations',
  description: 'List locations: countries, and for some of them regions, metros, cities and postal codes.',
  filters: {
    ...nameSearch<Place>(),
    country_code: columnEquals('country_code', countryField()),
    location_type: columnEquals('location_type', oneOf(...LOCATION_TYPES).describe('Only this location type.')),
  },
  example: { q: 'los angeles', location_type: 'CITIES' },
  paging: DEFAULT_PAGING,
  row: {
    name: Type.String(),
    country_code: Type.String(),
    location_type: Type.Literals(LOCATION_TYPES),
    ...targetingMembers('LOCATION'),
  },
  rows: locations,
});

/** Lists languages. */
export const languageLookup: Operation = targetingLookup<Line<'name' | 'targeting_value'>>({
  name: 'languages',
  description: 'List languages by ISO 639-1 code.',
  filters: nameSearch(),
  example: { q: 'dan' },
  paging: DEFAULT_PAGING,
  row: { name: Type.String(), ...targetingMembers('LANGUAGE') },
  rows: languages,
});

/** Lists mobile carriers of a country, by default the United States. */
export const networkOperatorLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'country_code'>>({
  name: 'network_operators',
  description: 'List mobile carriers of a country.',
  filters: { country_code: columnEquals('country_code', countryField().defaults('US')), ...nameSearch() },
  example: { country_code: 'DE', count: '2' },
  paging: DEFAULT_PAGING,
  row: { name: Type.String(), country_code: Type.String(), ...targetingMembers('NETWORK_OPERATOR') },
  rows: networkOperators,
});
