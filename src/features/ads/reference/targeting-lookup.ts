import Type, { type TObject, type TSchema } from 'typebox';
import { countryCode } from '../../../contract/declare/codes.ts';
import { type Field, oneOf } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { type Filter, type Lookup, lookupOperation } from './lookup-operation.ts';

/** The look-up of a targeting type. @source campaigns 11 */
export function targetingLookup<R extends object>(
  declared: Omit<Lookup<R>, 'group' | 'path' | 'rate' | 'row'> & {
    readonly rate?: Lookup<R>['rate'];
    readonly row: Readonly<Record<string, TSchema>>;
  },
): Operation {
  return lookupOperation<R>({
    rate: 'lookups',
    ...declared,
    path: `/12/targeting_criteria/${declared.name}`,
    group: 'targeting look-ups',
    groupDescription: 'The values that targeting criteria take, by targeting type.',
    row: closed(declared.row),
  });
}

/** A row with these members and no others. */
function closed(members: Readonly<Record<string, TSchema>>): TObject {
  return Type.Object({ ...members }, { additionalProperties: false });
}

/** What rows of most look-ups end with: what a criterion is made with. */
export function targetingMembers<const T extends string>(type: T) {
  return { targeting_value: Type.String(), targeting_type: Type.Literal(type) };
}

/** One of some words, of which each is said in a column of the rows. */
export function columnEquals<C extends string>(column: C, field: Field): Filter<Readonly<Record<C, string>>> {
  return { field, matches: (row, input) => row[column].toUpperCase() === input.toUpperCase() };
}

/** Operating systems of phones, as rows spell them and in capitals. */
export const osTypeField = () =>
  oneOf('ANDROID', 'Android', 'BLACKBERRY', 'BlackBerry', 'IOS', 'iOS').describe('Only of this operating system.');

/** A country, ISO 3166-1 alpha-2. */
export const countryField = () => countryCode().describe('Only of this country (ISO 3166-1 alpha-2).');
