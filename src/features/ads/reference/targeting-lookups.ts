import { type Schema, Type } from '../../../base/json-schema.ts';
import { countryCode } from '../../../contract/declare/codes.ts';
import { type Field, instant, itemsOf, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { countryName, platformName } from './localized-names.ts';
import { DEFAULT_PAGING, type Filter, type Lookup, lookupOperation, nameSearch } from './lookup-operation.ts';
import { occurrenceSortKey, occurrencesFrom } from './recurring-events.ts';
import {
  conversations,
  devices,
  interests,
  LOCATION_TYPES,
  languages,
  locations,
  networkOperators,
  platforms,
  platformVersions,
  shows,
  storeCategories,
} from './targeting-tables.ts';

const FIRST_ROWS = { is: 'count', default: 200, max: 1000 } as const;

/** Conversation types. @source campaigns 11 */
export const CONVERSATION_TYPES = (
  'ACTORS ATHLETES BOOK_GENRES BOOKS BRAND_CATEGORIES BRANDS CELEBRITIES COACHES DIGITAL_CREATORS ENTERTAINMENT_BRANDS ' +
  'ENTERTAINMENT_PERSONALITIES FICTIONAL_CHARACTERS JOURNALISTS LIFESTYLES MOVIE_GENRES MOVIES MUSIC_GENRES MUSICIANS ' +
  'NEWS_STORIES NEWS PERSONS PLACES PODCASTS POLITICAL_AFFILIATIONS POLITICIANS PRODUCTS RADIO_STATIONS SPORTS_LEAGUES ' +
  'SPORTS_PERSONALITIES SPORTS_TEAMS SPORTS TRENDS TV_SHOWS VIDEO_GAME_PLATFORMS VIDEO_GAME_PUBLISHERS VIDEO_GAMES'
).split(' ');

const EVENT_TYPES = [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
] as const;

/** Locales of television markets. @source campaigns 11 */
const MARKETS =
  'es-AR pt-BR en-CA es-CL es-CO fr-FR de-DE en-IE it-IT ja-JP es-MX nl-NL es-ES en-GB en-US es-US es-VE'.split(' ');

const string = Type.String();
const emptyBreakdown = Type.Closed({});
const emptyList = Type.Array(Type.Unknown(), { maxItems: 0 });

/** Lookups of targeting values. @source campaigns 11; decision 155 */
export const targetingLookups: readonly Operation[] = [
  targetingLookup({
    name: 'store_categories',
    aliases: ['/12/targeting_criteria/app_store_categories'],
    description: 'List app store categories, for targeting people who installed such apps.',
    filters: {
      ...nameSearch(),
      os_type: columnEquals('os_type', oneOf('ANDROID', 'IOS').describe('Only the store of this operating system.')),
    },
    example: { q: 'music', os_type: 'IOS' },
    row: entryRow('STORE_CATEGORY', { os_type: Type.Union([Type.Literal('ANDROID'), Type.Literal('IOS')]) }),
    rows: storeCategories,
  }),
  targetingLookup({
    name: 'conversations',
    description: 'List conversation topics.',
    filters: {
      conversation_type: columnEquals(
        'conversation_type',
        oneOf(...CONVERSATION_TYPES).describe('Only this conversation type.'),
      ),
    },
    example: { conversation_type: 'SPORTS', count: '2' },
    paging: DEFAULT_PAGING,
    row: entryRow('CONVERSATION', { conversation_type: Type.Literals(CONVERSATION_TYPES) }),
    rows: conversations,
  }),
  targetingLookup({
    name: 'devices',
    description: 'List models of phones and tablets.',
    filters: { ...nameSearch(), os_type: columnEquals('os_type', osTypeField()) },
    example: { q: 'iphone', count: '2' },
    paging: FIRST_ROWS,
    row: entryRow('DEVICE', { manufacturer: string, os_type: string }),
    rows: devices,
  }),
  // Reach is unknown here, so its members are empty. @source campaigns 11; decision 151 and 152
  targetingLookup({
    name: 'events',
    description: 'List the next occurrence of each event, sorted by start.',
    filters: {
      event_types: {
        field: listOf(oneOf(...EVENT_TYPES), { max: EVENT_TYPES.length }).describe('Only these event types.'),
        matches: (event, types) => itemsOf(types).includes(event.event_type),
      },
      country_codes: {
        field: listOf(countryField(), { max: 200 }).describe(
          'Only these countries; global events are always included.',
        ),
        matches: (event, countries) => event.country_code === null || itemsOf(countries).includes(event.country_code),
      },
      start_time: {
        field: instant().describe('Only events that end after this; default now; a date means midnight UTC.'),
        matches: () => true,
      },
      end_time: {
        field: instant().describe('Only events that start before; a date means midnight UTC.'),
        matches: (event, end) => event.start_time < end,
      },
    },
    example: { event_types: 'HOLIDAY', start_time: '2026-12-31', count: '1' },
    paging: DEFAULT_PAGING,
    row: {
      reach: Type.Closed({ total_reach: Type.Null() }),
      name: string,
      start_time: string,
      top_users: emptyList,
      top_posts: emptyList,
      top_hashtags: emptyList,
      gender_breakdown_percentage: emptyBreakdown,
      end_time: string,
      country_code: Type.Nullable(string),
      device_breakdown_percentage: emptyBreakdown,
      targeting_value: string,
      is_global: Type.Boolean(),
      event_type: Type.Literals(EVENT_TYPES),
      country_breakdown_percentage: emptyBreakdown,
    },
    rows: ({ input, now }) => occurrencesFrom(String(input.start_time ?? now)),
    sortKey: occurrenceSortKey,
    computedMembers: () => ({
      reach: { total_reach: null },
      top_users: [],
      top_posts: [],
      top_hashtags: [],
      gender_breakdown_percentage: {},
      device_breakdown_percentage: {},
      country_breakdown_percentage: {},
    }),
    problems: ['NOT_AFTER'],
    check: ({ start_time: from, end_time: until }) =>
      from === undefined || until === undefined || String(until) > String(from)
        ? []
        : [{ problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } }],
  }),
  targetingLookup({
    name: 'interests',
    description: 'List interests, as `Category/Subcategory`.',
    filters: nameSearch(),
    example: { q: 'chess' },
    paging: DEFAULT_PAGING,
    row: entryRow('INTEREST'),
    rows: interests,
  }),
  targetingLookup({
    name: 'languages',
    description: 'List languages by ISO 639-1 code.',
    filters: nameSearch(),
    example: { q: 'dan' },
    paging: DEFAULT_PAGING,
    row: entryRow('LANGUAGE'),
    rows: languages,
  }),
  targetingLookup({
    name: 'locations',
    description: 'List locations: countries, and for some of them regions, metros, cities and postal codes.',
    filters: {
      ...nameSearch(),
      country_code: columnEquals('country_code', countryField()),
      location_type: columnEquals('location_type', oneOf(...LOCATION_TYPES).describe('Only this location type.')),
    },
    example: { q: 'los angeles', location_type: 'CITIES' },
    paging: DEFAULT_PAGING,
    row: entryRow('LOCATION', { country_code: string, location_type: Type.Literals(LOCATION_TYPES) }),
    rows: locations,
  }),
  targetingLookup({
    name: 'network_operators',
    description: 'List mobile carriers of a country.',
    filters: { country_code: columnEquals('country_code', countryField().defaults('US')), ...nameSearch() },
    example: { country_code: 'DE', count: '2' },
    paging: DEFAULT_PAGING,
    row: entryRow('NETWORK_OPERATOR', { country_code: string }),
    rows: networkOperators,
  }),
  targetingLookup({
    name: 'platform_versions',
    description: 'List versions of operating systems, oldest first.',
    filters: { ...nameSearch(), os_type: columnEquals('os_type', osTypeField()) },
    example: { q: 'jelly bean', os_type: 'Android' },
    row: entryRow('PLATFORM_VERSION', { number: string, os_type: string }),
    rows: platformVersions,
  }),
  targetingLookup({
    name: 'platforms',
    description: 'List platforms: mobile operating systems, mobile web and computers.',
    filters: nameSearch(),
    displayParameters: {
      lang: text({ max: 35 }).describe('Adds `localized_name` in this language (BCP 47), where available.'),
    },
    example: { lang: 'de', count: '3' },
    paging: FIRST_ROWS,
    row: entryRow('PLATFORM', { localized_name: Type.Optional(string) }),
    rows: platforms,
    computedMembers: ({ name }, { lang }) =>
      lang === undefined ? {} : { localized_name: platformName(name, String(lang)) },
  }),
  targetingLookup({
    name: 'tv_markets',
    description: 'List television markets: a language in a country.',
    rate: 'reads',
    example: {},
    row: { name: string, country_code: string, locale: string },
    rows: () =>
      MARKETS.map((locale) => {
        const country_code = locale.slice(-2);
        const name = countryName(country_code, 'en')!;
        return { name: locale === 'es-US' ? `${name} - Hispanic` : name, country_code, locale };
      }),
  }),
  // @source decision 159 and 180
  targetingLookup({
    name: 'tv_shows',
    description: 'List the television shows of a market.',
    rate: 'reads',
    filters: {
      locale: {
        field: oneOf(...MARKETS)
          .required()
          .describe('Market, a locale of `tv_markets`.'),
        matches: ({ markets }, locale) => markets.includes(locale),
      },
      ...nameSearch(),
    },
    example: { locale: 'en-IE', count: '1' },
    paging: { is: 'page', default: 50, max: 50 },
    row: {
      name: string,
      targeting_value: string,
      genre: string,
      locales: Type.Array(Type.Closed({ language: string, country: string })),
    },
    rows: shows,
    computedMembers: ({ markets }) => ({
      locales: markets.map((market) => ({ language: market.slice(0, 2), country: market.slice(-2) })),
    }),
  }),
];

/** Builds the lookup operation of a targeting type. */
function targetingLookup<R extends object>(
  declared: Omit<Lookup<R>, 'row'> & { readonly row: Readonly<Record<string, Schema>> },
): Operation {
  return lookupOperation<R>({
    rate: 'lookups',
    path: `/12/targeting_criteria/${declared.name}`,
    group: 'targeting look-ups',
    groupDescription: 'The values of targeting criteria, by targeting type.',
    ...declared,
    row: Type.Closed(declared.row),
  });
}

/** Schema of an entry; its last members can be sent as they are to create a criterion. */
function entryRow(type: string, members: Readonly<Record<string, Schema>> = {}): Record<string, Schema> {
  return { name: string, ...members, targeting_value: string, targeting_type: Type.Literal(type) };
}

/** Filters by equality with a column, case-insensitive. */
function columnEquals<C extends string>(column: C, field: Field): Filter<Readonly<Record<C, string>>> {
  return { field, matches: (row, input) => row[column].toUpperCase() === input.toUpperCase() };
}

/** Mobile operating systems, in mixed and upper case. @source decision 157 */
function osTypeField() {
  const names = oneOf('ANDROID', 'Android', 'BLACKBERRY', 'BlackBerry', 'IOS', 'iOS');
  return names.describe('Only this operating system.');
}

/** A country code, ISO 3166-1 alpha-2. @source decision 156 */
function countryField() {
  return countryCode().describe('Only this country (ISO 3166-1 alpha-2).');
}
