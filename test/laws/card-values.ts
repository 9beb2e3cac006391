import { fc } from '../rig/laws.ts';
import { beginning, count, type Input, type JsonValue, mostly, name, ref, sort, truth, type Value } from './values.ts';

/** A card of the run that is built from components. */
export const card = ref('card');
/** A card of the run of another family. */
export const conversationCard = ref('talk');

const key = mostly<JsonValue>(fc.constantFrom('3_1', '3_2', '7_3', '13_4'), '16_5', 'x', 7, '');
const link = mostly<JsonValue>(fc.constantFrom('https://a.example/', 'http://b.example/\u00e9?q=%41'), 'x', '', null);
const media: fc.Arbitrary<JsonValue> = fc.oneof(
  key.map((media_key) => ({ type: 'MEDIA', media_key })),
  fc.array(key, { minLength: 1, maxLength: 7 }).map((media_keys) => ({ type: 'SWIPEABLE_MEDIA', media_keys })),
);
const details: fc.Arbitrary<JsonValue> = fc
  .tuple(name, link)
  .map(([title, url]) => ({ type: 'DETAILS', title, destination: { type: 'WEBSITE', url } }));
const button: fc.Arbitrary<JsonValue> = fc
  .record({
    country_code: mostly<JsonValue>(fc.constant('CA'), 'ca', 1),
    ios_store_identifier: fc.constantFrom('1', ''),
  })
  .map((app) => ({ type: 'BUTTON', label: { type: 'ENUM', value: 'OPEN' }, destination: { type: 'APP', ...app } }));
const components = mostly<JsonValue>(
  fc.tuple(media, fc.oneof(details, button)).map((pair) => pair),
  [],
  null,
  'x',
  [{}, {}],
);
const slide = fc.tuple(key, details).map(([media_key, text]): JsonValue => [{ type: 'MEDIA', media_key }, text]);
const slides = mostly<JsonValue>(fc.array(slide, { minLength: 2, maxLength: 4 }), [], null, [[]]);

/** The body of a card to be made or changed. */
export const cardBody: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({ name, components }),
  fc.record({ name, components }),
  fc.record({ name, slides }),
  fc.record({ components, slides }, { requiredKeys: [] }),
  fc.constantFrom<JsonValue>({}, [], 'x'),
);

const media_key = mostly<Value>(fc.constantFrom('3_1', '13_4', '7_3'), '16_5', 'x');
const hashtag = mostly<Value>(fc.constantFrom('#Filter', 'Press', '\u6df9\u308c'), 'a b', '', '#');
const said = mostly<Value>(fc.constantFrom('Filter all day', 'b'), '');

/** The fields of a poll. */
export const pollFields: Input = {
  name,
  first_choice: name,
  second_choice: said,
  third_choice: said,
  fourth_choice: said,
  duration_in_minutes: mostly<Value>(fc.constantFrom(5, 1440), 4, 'x'),
  media_key,
};
/** The fields of a conversation card. */
export const conversationFields: Input = {
  name,
  title: mostly<Value>(fc.constant('Pick a side'), ''),
  first_cta: hashtag,
  first_cta_post: said,
  second_cta: hashtag,
  second_cta_post: said,
  third_cta: hashtag,
  thank_you_text: mostly<Value>(fc.constant('Enjoy'), ''),
  thank_you_url: mostly<Value>(fc.constant('https://a.example/'), 'x', ''),
  media_key,
  unlocked_image_media_key: media_key,
};
/** What conversation cards must be given. */
export const CONVERSATION_REQUIRED = ['name', 'first_cta', 'first_cta_post', 'thank_you_text', 'media_key'];
/** Conditions of a list of cards. */
export const cardList: Input = {
  count,
  sort_by: sort('name', 'created_at', 'updated_at', 'deleted'),
  with_deleted: truth,
  q: beginning,
};
/** The families of cards with a path of their own. */
export const CARD_FORMATS = ['poll', 'video_conversation', 'image_conversation'] as const;
