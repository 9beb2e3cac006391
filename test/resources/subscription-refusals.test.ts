// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  asApplication,
  asUser,
  type Caller,
  makeSubscription,
  newPerson,
  registerForMessages,
  SUBSCRIPTIONS,
  wrongRequest,
} from '../rig/activity.ts';
import type { Keys, Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = SUBSCRIPTIONS;
let world: World;
let app: Caller;
let keys: Keys;
let user: string;
before(async () => {
  world = await openWorld();
  const registered = await register(world);
  keys = registered;
  app = await asApplication(world, keys);
  user = registered.user;
});
after(() => world.close());

const bio = (more: object = {}): object => ({ event_type: 'profile.update.bio', filter: { user_id: user }, ...more });

const wrong = (message: string, parameters: object = {}) => wrongRequest(world, message, parameters);
const problem = (slug: string, title: string, detail: string, more: object = {}) => ({
  title,
  type: `${world.service.url}/2/problems/${slug}`,
  status: 403,
  detail,
  ...more,
});

function expect(reply: Reply, status: number, body: object): void {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(reply.body, body);
}

describe('a request for a subscription is refused', () => {
  const types =
    'dm.indicate_typing, dm.read, dm.received, dm.sent, profile.update.affiliate, profile.update.affiliate_badge, profile.update.bio, profile.update.handle, profile.update.screenname, profile.update.verified, profile.update.verified_badge, spaces.end, spaces.start';
  const refused: readonly (readonly [input: string, body: () => object, message: string, parameters: object])[] = [
    [
      'for an unknown type',
      () => bio({ event_type: 'nope' }),
      `The \`event_type\` value [nope] is not one of [${types}]`,
      { event_type: ['nope'] },
    ],
    [
      'for a type in another case',
      () => bio({ event_type: 'profilebioupdate' }),
      `The \`event_type\` value [profilebioupdate] is not one of [${types}]`,
      { event_type: ['profilebioupdate'] },
    ],
    [
      'without a type',
      () => ({ filter: { user_id: user } }),
      '$.event_type: is missing but it is required',
      { event_type: [] },
    ],
    [
      'without a filter',
      () => ({ event_type: 'spaces.end' }),
      '$.filter: is missing but it is required',
      { filter: [] },
    ],
    ['with a filter that is no object', () => bio({ filter: ['x'] }), '$.filter: is not an object', {}],
    [
      'with an empty filter',
      () => bio({ filter: {} }),
      '$.filter: has none of [user_id, keyword, direction]',
      { filter: [] },
    ],
    [
      'without a user',
      () => bio({ filter: { keyword: 'tea' } }),
      '$.filter.user_id: is missing but it is required',
      { 'filter.user_id': [] },
    ],
    [
      'with a direction where there is none',
      () => bio({ filter: { user_id: user, direction: 'sent' } }),
      'The `filter.direction` value [sent] does not fit event_type profile.update.bio: such events have no direction',
      { 'filter.direction': ['sent'] },
    ],
    [
      'with nothing but a direction for a Space',
      () => ({ event_type: 'spaces.start', filter: { direction: 'sent' } }),
      '$.filter: has none of [user_id, keyword]',
      { filter: [] },
    ],
    [
      'with the direction that sent messages do not have',
      () => bio({ event_type: 'dm.sent', filter: { user_id: user, direction: 'received' } }),
      'The `filter.direction` value [received] does not fit event_type dm.sent: all of them are sent',
      { 'filter.direction': ['received'] },
    ],
    [
      'with both directions for received messages',
      () => bio({ event_type: 'dm.received', filter: { user_id: user, direction: 'both' } }),
      'The `filter.direction` value [both] does not fit event_type dm.received: all of them are received',
      { 'filter.direction': ['both'] },
    ],
    [
      'with an unknown direction',
      () => bio({ event_type: 'dm.read', filter: { user_id: user, direction: 'up' } }),
      'The `filter.direction` value [up] is not one of [both, inbound, outbound, received, sent]',
      { 'filter.direction': ['up'] },
    ],
    [
      'with another member in the filter',
      () => bio({ filter: { user_id: user, colour: 'red' } }),
      '$.filter.colour: is not one of [user_id, keyword, direction]',
      { 'filter.colour': ['red'] },
    ],
    [
      'with another member',
      () => bio({ colour: 'red' }),
      '$.colour: is not one of [event_type, filter, tag, webhook_id]',
      { colour: ['red'] },
    ],
    [
      'with a number as user',
      () => bio({ filter: { user_id: 900000001 } }),
      'The `filter.user_id` value [900000001] is not a text of 1 to 19 digits',
      { 'filter.user_id': ['900000001'] },
    ],
    [
      'with a keyword of 151 characters',
      () => bio({ filter: { user_id: user, keyword: 'é'.repeat(151) } }),
      'The `filter.keyword` value has 151 characters; the most are 150',
      { 'filter.keyword': ['é'.repeat(151)] },
    ],
    [
      'with an empty keyword',
      () => bio({ filter: { user_id: user, keyword: '' } }),
      'The `filter.keyword` value is empty',
      { 'filter.keyword': [''] },
    ],
    ['with an empty tag', () => bio({ tag: '' }), 'The `tag` value is empty', { tag: [''] }],
    ['with a tag that is a list', () => bio({ tag: ['x'] }), 'The `tag` value is not a text', { tag: ['["x"]'] }],
    [
      'with a tag with a control character',
      () => bio({ tag: 'a\u0000b' }),
      'The `tag` value has characters that a text cannot have',
      { tag: ['a\u0000b'] },
    ],
    [
      'with a webhook that is no id',
      () => bio({ webhook_id: 'x' }),
      'The `webhook_id` value [x] is not a text of 1 to 19 digits',
      { webhook_id: ['x'] },
    ],
    [
      'with a webhook that is none',
      () => bio({ webhook_id: '19' }),
      'WebhookIdInvalid: no webhook of this application has the id [19]',
      { webhook_id: ['19'] },
    ],
    [
      'for a user who does not exist',
      () => bio({ filter: { user_id: '1' } }),
      'The `filter.user_id` value [1] is not the id of a user',
      { 'filter.user_id': ['1'] },
    ],
  ];
  test('without a JSON content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    const call = { method: 'POST', target: PATH, keys, headers, body: JSON.stringify(bio()) };
    const reply = await rawCall(world.service.url, world.clock, call);
    expect(reply, 400, wrong('The content-type must be application/json', { 'Content-Type': [] }));
  });

  test('with a token that was never issued', async () => {
    const headers = { authorization: 'Bearer nobodys', 'content-type': 'application/json' };
    const call = { method: 'POST', target: PATH, headers, body: JSON.stringify(bio()) };
    expect(await rawCall(world.service.url, world.clock, call), 401, {
      title: 'Unauthorized',
      type: 'about:blank',
      status: 401,
      detail: 'Unauthorized',
      errors: [{ code: 89, message: 'invalid or expired token' }],
    });
  });

  for (const [input, body, message, parameters] of refused) {
    test(input, async () => expect(await app.call('POST', PATH, body()), 400, wrong(message, parameters)));
  }

  test('for everything that is wrong with it', async () => {
    const reply = await app.call('POST', PATH, { event_type: 'x', filter: { user_id: 'y', colour: 1 }, tag: '' });
    const parameters = reply.body.errors.map((error: { parameters: object }) => Object.keys(error.parameters)[0]);
    assert.deepEqual(parameters.sort(), ['event_type', 'filter.colour', 'filter.user_id', 'tag']);
  });

  test('when the body is a list', async () => {
    expect(await app.call('POST', PATH, []), 400, wrong('$: is not an object'));
  });
});

describe('who may subscribe to message events', () => {
  const dm = (user: string): object => ({ event_type: 'dm.received', filter: { user_id: user } });

  test('the user, with a token for direct messages', async () => {
    const { own, user } = await newPerson(world);
    await makeSubscription(own, dm(user));
  });

  test('no application by itself', async () => {
    const { app, user } = await newPerson(world);
    expect(
      await app.call('POST', PATH, dm(user)),
      403,
      problem(
        'unsupported-authentication',
        'Unsupported Authentication',
        'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context].',
      ),
    );
  });

  for (const level of ['read', 'read-write'] as const) {
    test(`no user with a token of level ${level}`, async () => {
      const keys = await registerForMessages(world, { tokenLevel: level });
      expect(
        await asUser(world, keys).call('POST', PATH, dm(keys.user)),
        403,
        problem(
          'oauth1-permissions',
          'Forbidden',
          'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
        ),
      );
    });
  }

  test('no other user', async () => {
    const { own } = await newPerson(world);
    expect(
      await own.call('POST', PATH, dm(user)),
      403,
      problem('client-forbidden', 'Client Forbidden', `Private events of user [${user}] are for that user alone.`, {
        reason: 'user-not-authorized',
      }),
    );
  });
});
