import { Type } from '../../../base/json-schema.ts';
import { oneOf, text } from '../../../contract/declare/fields.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import { platformName } from './localized-names.ts';
import { nameSearch } from './lookup-operation.ts';
import { columnEquals, osTypeField, targetingLookup, targetingMembers } from './targeting-lookup.ts';
import { devices, platforms, platformVersions, storeCategories } from './targeting-tables.ts';
import type { Line } from './tsv-table.ts';

const FIRST_ROWS = { is: 'count', default: 200, max: 1000 } as const;

/** Lists platforms. */
export const platformLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'os_type'>>({
  name: 'platforms',
  description: 'List platforms: mobile operating systems, mobile web and computers.',
  filters: nameSearch(),
  displayParameters: {
    lang: text({ max: 35 }).describe('Adds `localized_name` in this language (BCP 47), where available.'),
  },
  example: { lang: 'de', count: '3' },
  paging: FIRST_ROWS,
  row: { name: Type.String(), localized_name: Type.Optional(Type.String()), ...targetingMembers('PLATFORM') },
  rows: platforms,
  computedMembers: ({ name }, { lang }: Input) =>
    lang === undefined ? {} : { localized_name: platformName(name, String(lang)) },
});

/** Versions of operating systems, oldest first. */
export const platformVersionLookup: Operation = targetingLookup<
  Line<'name' | 'targeting_value' | 'number' | 'os_type'>
>({
  name: 'platform_versions',
  description: 'List versions of operating systems, oldest first.',
  filters: { ...nameSearch(), os_type: columnEquals('os_type', osTypeField()) },
  example: { q: 'jelly bean', os_type: 'Android' },
  paging: { is: 'whole' },
  row: { name: Type.String(), number: Type.String(), os_type: Type.String(), ...targetingMembers('PLATFORM_VERSION') },
  rows: platformVersions,
});

/** Models of phones and tablets. */
export const deviceLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'manufacturer' | 'os_type'>>({
  name: 'devices',
  description: 'List models of phones and tablets.',
  filters: { ...nameSearch(), os_type: columnEquals('os_type', osTypeField()) },
  example: { q: 'iphone', count: '2' },
  paging: FIRST_ROWS,
  row: { name: Type.String(), manufacturer: Type.String(), os_type: Type.String(), ...targetingMembers('DEVICE') },
  rows: devices,
});

/** Lists app store categories. */
export const storeCategoryLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'os_type'>>({
  name: 'store_categories',
  aliases: ['/12/targeting_criteria/app_store_categories'],
  description: 'List app store categories, for targeting people who installed such apps.',
  filters: {
    ...nameSearch(),
    os_type: columnEquals('os_type', oneOf('ANDROID', 'IOS').describe('Only the store of this operating system.')),
  },
  example: { q: 'music', os_type: 'IOS' },
  paging: { is: 'whole' },
  row: {
    name: Type.String(),
    os_type: Type.Union([Type.Literal('ANDROID'), Type.Literal('IOS')]),
    ...targetingMembers('STORE_CATEGORY'),
  },
  rows: storeCategories,
});
