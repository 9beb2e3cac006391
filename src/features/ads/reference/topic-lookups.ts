import { Type } from '../../../base/json-schema.ts';
import { instant, itemsOf, listOf, oneOf } from '../../../contract/declare/fields.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { DEFAULT_PAGING, nameSearch } from './lookup-operation.ts';
import { type Occurrence, occurrenceSortKey, occurrencesFrom } from './recurring-events.ts';
import { columnEquals, countryField, targetingLookup, targetingMembers } from './targeting-lookup.ts';
import { conversations, interests } from './targeting-tables.ts';
import type { Line } from './tsv-table.ts';

/** Lists interests. */
export const interestLookup: Operation = targetingLookup<Line<'name' | 'targeting_value'>>({
  name: 'interests',
  description: 'List interests, as `Category/Subcategory`.',
  filters: nameSearch(),
  example: { q: 'chess' },
  paging: DEFAULT_PAGING,
  row: { name: Type.String(), ...targetingMembers('INTEREST') },
  rows: interests,
});

/** Conversation types. @source campaigns 11 */
export const CONVERSATION_TYPES = (
  'ACTORS ATHLETES BOOK_GENRES BOOKS BRAND_CATEGORIES BRANDS CELEBRITIES COACHES DIGITAL_CREATORS ENTERTAINMENT_BRANDS ' +
  'ENTERTAINMENT_PERSONALITIES FICTIONAL_CHARACTERS JOURNALISTS LIFESTYLES MOVIE_GENRES MOVIES MUSIC_GENRES MUSICIANS ' +
  'NEWS_STORIES NEWS PERSONS PLACES PODCASTS POLITICAL_AFFILIATIONS POLITICIANS PRODUCTS RADIO_STATIONS SPORTS_LEAGUES ' +
  'SPORTS_PERSONALITIES SPORTS_TEAMS SPORTS TRENDS TV_SHOWS VIDEO_GAME_PLATFORMS VIDEO_GAME_PUBLISHERS VIDEO_GAMES'
).split(' ');

const conversationTypes = Type.Literals(CONVERSATION_TYPES);

/** Conversation topics. */
export const conversationLookup: Operation = targetingLookup<Line<'name' | 'targeting_value' | 'conversation_type'>>({
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
  row: { name: Type.String(), conversation_type: conversationTypes, ...targetingMembers('CONVERSATION') },
  rows: conversations,
});

const EVENT_TYPES = [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
] as const;

/** An empty object in place of a breakdown. */
const emptyBreakdown = Type.Closed({});
const emptyList = Type.Array(Type.Unknown(), { maxItems: 0 });

/**
 * Lists the next occurrence of each event. Reach is unknown here, so its members are empty.
 * @source campaigns 11; decision 151 and 152
 */
export const eventLookup: Operation = targetingLookup<Occurrence>({
  name: 'events',
  description: 'List the next occurrence of each event, sorted by start.',
  filters: {
    event_types: {
      field: listOf(oneOf(...EVENT_TYPES), { max: EVENT_TYPES.length }).describe('Only these event types.'),
      matches: (event, types) => itemsOf(types).includes(event.event_type),
    },
    country_codes: {
      field: listOf(countryField(), { max: 200 }).describe('Only these countries; global events are always included.'),
      matches: (event, countries) => event.country_code === null || itemsOf(countries).includes(event.country_code),
    },
    start_time: { field: instant().describe('Only events that end after this; default now.'), matches: () => true },
    end_time: {
      field: instant().describe('Only events that start before.'),
      matches: (event, end) => event.start_time < end,
    },
  },
  example: { event_types: 'HOLIDAY', start_time: '2026-12-31', count: '1' },
  paging: DEFAULT_PAGING,
  row: {
    reach: Type.Closed({ total_reach: Type.Null() }),
    name: Type.String(),
    start_time: Type.String(),
    top_users: emptyList,
    top_posts: emptyList,
    top_hashtags: emptyList,
    gender_breakdown_percentage: emptyBreakdown,
    end_time: Type.String(),
    country_code: Type.Nullable(Type.String()),
    device_breakdown_percentage: emptyBreakdown,
    targeting_value: Type.String(),
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
  check: ({ start_time: from, end_time: until }: Input): readonly ErrorDetail[] =>
    from === undefined || until === undefined || String(until) > String(from)
      ? []
      : [{ problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } }],
});
