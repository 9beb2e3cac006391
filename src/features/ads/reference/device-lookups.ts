import Type from 'typebox';
import { oneOf, text } from '../../../contract/declare/fields.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import { devices, platforms, platformVersions, storeCategories } from './entries.ts';
import { search } from './lookups.ts';
import { nameOfPlatform } from './names.ts';
import type { Line } from './table.ts';
import { equals, osTypes, targeted, targetingLookup } from './targeting-lookup.ts';

const FIRST = { is: 'count', default: 200, max: 1000 } as const;

/** What people use the service with. */
export const platformLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'os_type'>>({
  name: 'platforms',
  about: 'What people use the service with: operating systems of phones, the web and computers.',
  filters: search(),
  wording: { lang: text({ max: 35 }).says('Adds `localized_name` in this language (BCP 47), where it is known.') },
  example: { lang: 'de', count: '3' },
  extent: FIRST,
  row: { name: Type.String(), localized_name: Type.Optional(Type.String()), ...targeted('PLATFORM') },
  rows: platforms,
  shown: ({ name }, { lang }: Input) =>
    lang === undefined ? {} : { localized_name: nameOfPlatform(name, String(lang)) },
});

/** Versions of operating systems. */
export const platformVersionLookup: Operation = targetingLookup<
  Line<'name' | 'targeting_value' | 'number' | 'os_type'>
>({
  name: 'platform_versions',
  about: 'Versions of operating systems, oldest first.',
  filters: { ...search(), os_type: equals('os_type', osTypes()) },
  example: { q: 'jelly bean', os_type: 'Android' },
  extent: { is: 'whole' },
  row: { name: Type.String(), number: Type.String(), os_type: Type.String(), ...targeted('PLATFORM_VERSION') },
  rows: platformVersions,
});

/** Makes of phones and tablets. */
export const deviceLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'manufacturer' | 'os_type'>>({
  name: 'devices',
  about: 'Makes of phones and tablets.',
  filters: { ...search(), os_type: equals('os_type', osTypes()) },
  example: { q: 'iphone', count: '2' },
  extent: FIRST,
  row: { name: Type.String(), manufacturer: Type.String(), os_type: Type.String(), ...targeted('DEVICE') },
  rows: devices,
});

/** Categories of applications, of whichever people have installed some. */
export const storeCategoryLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'os_type'>>({
  name: 'store_categories',
  aliases: ['/12/targeting_criteria/app_store_categories'],
  about: 'Categories of the stores of applications: people who have installed one of such.',
  filters: {
    ...search(),
    os_type: equals('os_type', oneOf('ANDROID', 'IOS').says('Only of the store of this operating system.')),
  },
  example: { q: 'music', os_type: 'IOS' },
  extent: { is: 'whole' },
  row: {
    name: Type.String(),
    os_type: Type.Union([Type.Literal('ANDROID'), Type.Literal('IOS')]),
    ...targeted('STORE_CATEGORY'),
  },
  rows: storeCategories,
});
