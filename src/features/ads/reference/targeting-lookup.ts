import { type Schema, Type } from '../../../base/json-schema.ts';
import { countryCode } from '../../../contract/declare/codes.ts';
import { type Field, oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { type Filter, type Lookup, lookupOperation } from './lookup-operation.ts';

/** Makes the look-up operation of a targeting type. @source campaigns 11; decision 155 */
export function targetingLookup<R extends object>(
  declared: Omit<Lookup<R>, 'group' | 'path' | 'rate' | 'row'> & {
    readonly rate?: Lookup<R>['rate'];
    readonly row: Readonly<Record<string, Schema>>;
  },
): Operation {
  return lookupOperation<R>({
    rate: 'lookups',
    ...declared,
    path: `/12/targeting_criteria/${declared.name}`,
    group: 'targeting look-ups',
    groupDescription: 'The values of targeting criteria, by targeting type.',
    row: Type.Closed(declared.row),
  });
}

/** The last members of most rows: those that create a criterion. */
export function targetingMembers<const T extends string>(type: T) {
  return { targeting_value: Type.String(), targeting_type: Type.Literal(type) };
}

/** A filter by equality with a column, case-insensitive. */
export function columnEquals<C extends string>(column: C, field: Field): Filter<Readonly<Record<C, string>>> {
  return { field, matches: (row, input) => row[column].toUpperCase() === input.toUpperCase() };
}

/** Mobile operating systems, in mixed and upper case. @source decision 157 */
export const osTypeField = () =>
  oneOf('ANDROID', 'Android', 'BLACKBERRY', 'BlackBerry', 'IOS', 'iOS').describe('Only this operating system.');

/** A country code, ISO 3166-1 alpha-2. @source decision 156 */
export const countryField = () => countryCode().describe('Only this country (ISO 3166-1 alpha-2).');
