import { EVENT_TYPES } from '../../src/contract/store/events.ts';
import { EVENT_TYPE_NAMES } from '../../src/features/activity/event-types.ts';
import { fc } from '../rig/laws.ts';
import { DIFFICULT, type Input, type JsonValue, mostly, name, type Ref, ref, type Value } from './values.ts';

/** Ada, Ben and Cleo. */
const USERS = ['900000001', '900000002', '900000003'];

/** A subscription of the run. */
export const subscription: fc.Arbitrary<Ref> = ref('subscription', fc.nat(15));
/** A webhook of the run. */
export const webhook: fc.Arbitrary<Ref> = ref('webhook', fc.nat(4));
/** The other user of a conversation, as a part of a path. */
export const participant = mostly(fc.constantFrom(...USERS), '1', 'x', '%20');

const user = mostly<JsonValue>(fc.constantFrom(...USERS), '', '1', 'x', '9'.repeat(20), 900_000_001, null);
const direction = mostly<JsonValue>(
  fc.constantFrom('sent', 'received', 'both', 'inbound', 'outbound'),
  ...['', 'up', 'Sent', null, 1],
);
/** Few of them, so that texts have them now and then. */
const WORDS = ['coffee', 'CAFÉ', 'café', 'straße', '漢字', "o'clock", 'two words', '😀'];
const keyword = mostly<JsonValue>(
  fc.oneof(fc.constantFrom(...WORDS), name),
  ...['', ' ', '\0', 'x'.repeat(151), 7, null],
);
const said = fc.oneof(
  fc.constantFrom(...WORDS.map((word) => `${word} here`), ...WORDS.map((word) => `not${word}`)),
  fc.constantFrom('@ada_demo meets @ben_demo #coffee $TEA https://example.com/é', 'two\nlines', 'Coffee.'),
  fc.constantFrom(...DIFFICULT),
);
const tag = mostly<JsonValue>(name, '', null, 7, 'x'.repeat(201));
const pointed = mostly<JsonValue>(webhook, null, '', '19', 'x', 19);

/** An object some of whose members are there. */
const object = (members: Record<string, fc.Arbitrary<JsonValue>>, ...requiredKeys: string[]) =>
  fc.record(members, { requiredKeys }) as fc.Arbitrary<JsonValue>;
const NO_OBJECTS: readonly JsonValue[] = [{}, [], null, 'text', 7, [{}]];

const typeName = mostly<JsonValue>(
  fc.constantFrom(...EVENT_TYPE_NAMES.map(([each]) => each)),
  ...['', 'profile.update', 'PROFILE.UPDATE.BIO', 'profileBioUpdate', null, 7],
);
const filter = mostly<JsonValue>(
  fc.oneof(
    { weight: 6, arbitrary: object({ user_id: user }, 'user_id') },
    { weight: 3, arbitrary: object({ user_id: user, keyword }, 'user_id', 'keyword') },
    { weight: 3, arbitrary: object({ user_id: user, direction }, 'user_id', 'direction') },
    { weight: 2, arbitrary: object({ user_id: user, keyword, direction, colour: name }) },
  ),
  ...NO_OBJECTS,
);

/** The body of a new subscription. */
export const subscriptionBody = mostly<JsonValue>(
  fc.oneof(
    { weight: 15, arbitrary: object({ event_type: typeName, filter, tag }, 'event_type', 'filter') },
    { weight: 5, arbitrary: object({ event_type: typeName, filter, webhook_id: pointed }, 'event_type', 'filter') },
    { weight: 1, arbitrary: object({ event_type: typeName, filter, tag, colour: tag }) },
  ),
  ...NO_OBJECTS,
);

/** The body of a change of a subscription. */
export const subscriptionChange = mostly<JsonValue>(
  fc.oneof(
    { weight: 8, arbitrary: object({ tag }, 'tag') },
    { weight: 4, arbitrary: object({ tag, webhook_id: pointed }) },
    { weight: 1, arbitrary: object({ tag, event_type: typeName, filter, colour: tag }) },
  ),
  ...NO_OBJECTS,
);

/** Conditions of the list of subscriptions. */
export const subscriptionList: Input = {
  max_results: mostly<Value>(fc.integer({ min: 1, max: 4 }), 0, 1000, 1001, '', 'ten'),
};
/** A token, good for the list that it came from. */
export const pagination_token = mostly<Value>(ref('page', fc.nat(6)), '', 'x', '0'.repeat(16));

/** Which subscriptions end together. */
export const subscriptionIds: Input = {
  ids: mostly<Value>(fc.array(subscription, { minLength: 1, maxLength: 4 }), '', ',', 'x', '19,19', '1,2,3'),
};

/** The body of a new webhook. */
export const webhookBody = mostly<JsonValue>(
  object({ url: mostly<JsonValue>(ref('receiver', fc.nat(3)), '', 'x', 'ftp://a/b', 7, null) }, 'url'),
  ...NO_OBJECTS,
);

/** What users say of themselves. */
export const profileFields: Input = {
  name: mostly<Value>(fc.oneof(fc.constantFrom('Ada', 'Ada D.'), name), 'x'.repeat(51)),
  description: mostly<Value>(said, '', 'x'.repeat(161)),
  url: mostly<Value>(fc.constantFrom('https://example.com/a', ''), 'x'),
  location: mostly<Value>(fc.constantFrom('Here', 'Zürich', ''), 'x'.repeat(31)),
};

/** The body of a message. */
export const messageBody = mostly<JsonValue>(
  object({ text: mostly<JsonValue>(said, '', '\0', null, 7, '\ud800') }, 'text'),
  ...NO_OBJECTS,
);

/** What is said while or after a message is written. */
export const signalFields: Input = {
  recipient_id: mostly<Value>(fc.constantFrom(...USERS.slice(1)), '900000001', '1', '', 'x'),
  last_read_event_id: mostly<Value>(ref('message', fc.nat(3)), '1', '', 'x'),
};

const made = {
  event_type: mostly<JsonValue>(fc.constantFrom(...EVENT_TYPES), 'SpacesStart', '', null),
  user_id: user,
  payload: mostly<JsonValue>(
    fc.constantFrom<JsonValue>({ before: '', after: 'é' }, { a: [1, null, { b: '\u2028' }] }, { n: 1e21 }, {}),
    ...[null, 'text', 7, []],
  ),
};
const keyword_text = mostly<JsonValue>(said, '', null, 7);

/** What an operator makes happen. */
export const happening = mostly<JsonValue>(
  fc.oneof(
    { weight: 3, arbitrary: object({ ...made, keyword_text }, ...Object.keys(made)) },
    { weight: 1, arbitrary: object({ ...made, keyword_text, direction }, ...Object.keys(made)) },
  ),
  ...NO_OBJECTS,
);
