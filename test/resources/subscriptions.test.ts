import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  asApplication,
  type Caller,
  makeSubscription,
  newPerson,
  SUBSCRIPTIONS,
  wrongRequest,
} from '../rig/activity.ts';
import type { Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = SUBSCRIPTIONS;
const NOW = '2026-03-02T17:04:55.000Z';
let world: World;
let app: Caller;
let user: string;
before(async () => {
  world = await openWorld();
  const keys = await register(world);
  app = await asApplication(world, keys);
  user = keys.user;
});
after(() => world.close());

const bio = (more: object = {}): object => ({ event_type: 'profile.update.bio', filter: { user_id: user }, ...more });

const wrong = (message: string, parameters: object = {}) => wrongRequest(world, message, parameters);

function expect(reply: Reply, status: number, body: object): void {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(reply.body, body);
}

describe('a subscription', () => {
  test('is created, returned as stored, and counted', async () => {
    const { app, user } = await newPerson(world);
    const reply = await app.call('POST', PATH, {
      event_type: 'profile.update.bio',
      filter: { keyword: 'tea', user_id: user },
      tag: 'bio "watch" é',
    });
    assert.equal(reply.status, 200, reply.text);
    const { subscription } = reply.body.data;
    assert.match(subscription.subscription_id, /^\d{19}$/);
    assert.deepEqual(reply.body, {
      data: {
        subscription: {
          subscription_id: subscription.subscription_id,
          event_type: 'profile.update.bio',
          filter: { user_id: user, keyword: 'tea' },
          tag: 'bio "watch" é',
          created_at: NOW,
          updated_at: NOW,
        },
      },
      meta: { total_subscriptions: 1 },
    });
    assert.match(reply.text, /"filter":\{"user_id":"\d+","keyword":"tea"\}/);
    assert.equal(reply.headers.get('deprecation'), null);
    assert.equal(reply.headers.get('x-rate-limit-limit'), '500');
    const listed = await app.call('GET', PATH);
    assert.deepEqual(listed.body, {
      data: [subscription],
      meta: { result_count: 1, total_subscriptions: 1 },
    });
  });

  const aliases = [
    ['profile.update.verified_badge', 'profile.update.verified', false],
    ['profile.update.affiliate_badge', 'profile.update.affiliate', false],
    ['profile.update.handle', 'profile.update.screenname', false],
    ['ProfileBioUpdate', 'profile.update.bio', true],
    ['ProfileVerifiedBadgeUpdate', 'profile.update.verified', true],
    ['ProfileAffiliateBadgeUpdate', 'profile.update.affiliate', true],
    ['ProfileScreennameUpdate', 'profile.update.screenname', true],
    ['SpacesStart', 'spaces.start', true],
    ['SpacesEnd', 'spaces.end', true],
  ] as const;
  for (const [alias, type, isDeprecated] of aliases) {
    test(`to ${alias} is one to ${type}${isDeprecated ? ', and says that the name is deprecated' : ''}`, async () => {
      const { app, user } = await newPerson(world);
      const reply = await app.call('POST', PATH, { event_type: alias, filter: { user_id: user } });
      assert.equal(reply.body.data.subscription.event_type, type, reply.text);
      const said = [reply.headers.get('deprecation'), reply.headers.get('link'), reply.headers.get('x-api-warn')];
      const link = `<${world.service.url}/docs/activity>; rel="deprecation"`;
      // It is not yet the day from which the names are deprecated.
      assert.deepEqual(said, isDeprecated ? ['@1773792000', link, null] : [null, null, null]);
      const again = await app.call('POST', PATH, { event_type: type, filter: { user_id: user } });
      assert.equal(again.status, 400);
      assert.match(again.body.errors[0].message, /^Duplicate subscription: /);
    });
  }

  test('to a message type accepts its former name too', async () => {
    const { own, user } = await newPerson(world);
    for (const [alias, type] of [
      ['DmReceived', 'dm.received'],
      ['DmSent', 'dm.sent'],
      ['DmRead', 'dm.read'],
      ['DmIndicateTyping', 'dm.indicate_typing'],
    ]) {
      const reply = await own.call('POST', PATH, { event_type: alias, filter: { user_id: user } });
      assert.equal(reply.body.data?.subscription.event_type, type, reply.text);
      assert.equal(reply.headers.get('deprecation'), '@1773792000');
    }
  });

  const directions = [
    ['dm.sent', 'sent', 'sent'],
    ['dm.sent', 'outbound', 'sent'],
    ['dm.received', 'received', 'received'],
    ['dm.read', 'inbound', 'received'],
    ['dm.read', 'both', 'both'],
    ['dm.indicate_typing', 'sent', 'sent'],
  ] as const;
  for (const [type, input, kept] of directions) {
    test(`to ${type} stores the direction ${input} as ${kept}`, async () => {
      const { own, user } = await newPerson(world);
      const reply = await own.call('POST', PATH, { event_type: type, filter: { user_id: user, direction: input } });
      assert.deepEqual(reply.body.data?.subscription.filter, { user_id: user, direction: kept }, reply.text);
    });
  }

  test('to a Space needs no user', async () => {
    const { app } = await newPerson(world);
    const reply = await app.call('POST', PATH, { event_type: 'spaces.start', filter: { keyword: 'jazz' } });
    assert.deepEqual(reply.body.data?.subscription.filter, { keyword: 'jazz' }, reply.text);
  });

  test('accepts a keyword and a tag of maximum length', async () => {
    const { app, user } = await newPerson(world);
    const [keyword, tag] = ['🍵'.repeat(150), '🍵'.repeat(200)];
    const reply = await app.call('POST', PATH, { event_type: 'spaces.end', filter: { user_id: user, keyword }, tag });
    const { subscription } = reply.body.data;
    assert.deepEqual([subscription.filter.keyword, subscription.tag], [keyword, tag]);
  });

  test('accepts null for optional members', async () => {
    const { app, user } = await newPerson(world);
    const body = {
      event_type: 'profile.update.bio',
      filter: { user_id: user, keyword: null },
      tag: null,
      webhook_id: null,
    };
    const reply = await app.call('POST', PATH, body);
    assert.deepEqual(Object.keys(reply.body.data.subscription), [
      'subscription_id',
      'event_type',
      'filter',
      'created_at',
      'updated_at',
    ]);
  });
});

describe('two subscriptions', () => {
  const same: readonly (readonly [string, object, object])[] = [
    ['that are the same', {}, {}],
    ['that differ in the tag', { tag: 'a' }, { tag: 'b' }],
    [
      'of which one says the direction that the other means',
      { event_type: 'dm.read' },
      { event_type: 'dm.read', filter: { direction: 'received' } },
    ],
    [
      'of which one says the only direction that there is',
      { event_type: 'dm.sent', filter: { direction: 'sent' } },
      { event_type: 'dm.sent' },
    ],
  ];
  type Body = { filter?: object };
  const filled = (user: string, body: Body): object => ({
    event_type: 'profile.update.bio',
    ...body,
    filter: { user_id: user, ...body.filter },
  });
  for (const [which, one, two] of same) {
    test(`${which} are duplicates`, async () => {
      const { own, user } = await newPerson(world);
      await makeSubscription(own, filled(user, one));
      expect(
        await own.call('POST', PATH, filled(user, two)),
        400,
        wrong('Duplicate subscription: a subscription with this event_type and filter already exists.', { filter: [] }),
      );
    });
  }

  const different: readonly (readonly [string, object, object])[] = [
    ['that differ in the type', {}, { event_type: 'profile.update.screenname' }],
    ['that differ in the keyword', { filter: { keyword: 'a' } }, { filter: { keyword: 'b' } }],
    [
      'that differ in the direction',
      { event_type: 'dm.read' },
      { event_type: 'dm.read', filter: { direction: 'both' } },
    ],
  ];
  for (const [which, one, two] of different) {
    test(`${which} are not duplicates`, async () => {
      const { own, user } = await newPerson(world);
      await makeSubscription(own, filled(user, one));
      await makeSubscription(own, filled(user, two));
      assert.equal((await own.call('GET', PATH)).body.meta.total_subscriptions, 2);
    });
  }

  test('of two applications are not duplicates', async () => {
    const [one, other] = [await newPerson(world), await newPerson(world)];
    await makeSubscription(one.app, bio());
    await makeSubscription(other.app, bio());
  });

  test('created concurrently are deduplicated', async () => {
    const { app } = await newPerson(world);
    const replies = await Promise.all([1, 2, 3].map(() => app.call('POST', PATH, bio())));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400]);
  });
});

describe('the subscriptions of an application', () => {
  test('are listed page by page, oldest first', async () => {
    const { app, user } = await newPerson(world);
    const types = [
      'profile.update.bio',
      'profile.update.verified',
      'profile.update.affiliate',
      'spaces.end',
      'spaces.start',
    ];
    const ids: string[] = [];
    for (const event_type of types) ids.push(await makeSubscription(app, { event_type, filter: { user_id: user } }));
    const seen: string[] = [];
    let query = '?max_results=2';
    for (const [count, isLast] of [
      [2, false],
      [2, false],
      [1, true],
    ] as const) {
      const { body } = await app.call('GET', PATH + query);
      assert.equal(body.meta.result_count, count);
      assert.equal(body.meta.total_subscriptions, 5);
      assert.equal('next_token' in body.meta, !isLast);
      seen.push(...body.data.map((each: { subscription_id: string }) => each.subscription_id));
      query = `?max_results=2&pagination_token=${body.meta.next_token}`;
    }
    // Ids of two servers grow from second to second.
    assert.deepEqual(seen, world.nodes.length > 1 ? [...ids].sort() : ids);
  });

  test('have a default page size of 100, and a maximum of 1000', async () => {
    const { app } = await newPerson(world);
    for (let from = 0; from < 101; from += 20) {
      const some = Array.from({ length: Math.min(20, 101 - from) }, (_, index) => `word${from + index}`);
      await Promise.all(
        some.map((keyword) => makeSubscription(app, { event_type: 'spaces.end', filter: { keyword } })),
      );
    }
    const counts = [];
    for (const query of ['', '?max_results=1000']) counts.push((await app.call('GET', PATH + query)).body.meta);
    assert.deepEqual(
      counts.map(({ result_count, total_subscriptions, next_token }) => [
        result_count,
        total_subscriptions,
        next_token !== undefined,
      ]),
      [
        [100, 101, true],
        [101, 101, false],
      ],
    );
  });

  test('have a rate limit for each operation', async () => {
    const { app } = await newPerson(world);
    const id = await makeSubscription(app, bio());
    const replies = [
      await app.call('GET', PATH),
      await app.call('PUT', `${PATH}/${id}`, { tag: 'x' }),
      await app.call('DELETE', `${PATH}/${id}`),
      await app.call('DELETE', `${PATH}?ids=${id}`),
    ];
    const windows = replies.map(({ headers }) => [
      headers.get('x-rate-limit-limit'),
      headers.get('x-rate-limit-remaining'),
    ]);
    assert.deepEqual(windows, Array(4).fill(['500', '499']));
  });

  test('may be empty', async () => {
    const { app } = await newPerson(world);
    expect(await app.call('GET', PATH), 200, { data: [], meta: { result_count: 0, total_subscriptions: 0 } });
  });

  const refused = [
    ['max_results=0', 'The `max_results` value [0] is not between 1 and 1000', { max_results: ['0'] }],
    ['max_results=1001', 'The `max_results` value [1001] is not between 1 and 1000', { max_results: ['1001'] }],
    ['max_results=many', 'The `max_results` value [many] is not a whole number', { max_results: ['many'] }],
    [
      'pagination_token=0123456789abcdef',
      'The `pagination_token` value [0123456789abcdef] was not given by this list',
      { pagination_token: ['0123456789abcdef'] },
    ],
  ] as const;
  for (const [query, message, parameters] of refused) {
    test(`are not listed with ${query}`, async () => {
      expect(await app.call('GET', `${PATH}?${query}`), 400, wrong(message, parameters));
    });
  }

  test('do not include those of others, nor accept their page tokens', async () => {
    const [one, other] = [await newPerson(world), await newPerson(world)];
    await makeSubscription(one.app, bio());
    await makeSubscription(one.app, bio({ event_type: 'spaces.end' }));
    const { body } = await one.app.call('GET', `${PATH}?max_results=1`);
    assert.deepEqual((await other.app.call('GET', PATH)).body.data, []);
    const reply = await other.app.call('GET', `${PATH}?pagination_token=${body.meta.next_token}`);
    assert.equal(reply.status, 400);
  });

  test('are listed to a user if that user made them, to the application in full', async () => {
    const { app, own, user } = await newPerson(world);
    await makeSubscription(app, bio());
    const id = await makeSubscription(own, { event_type: 'spaces.end', filter: { user_id: user } });
    const { body } = await own.call('GET', PATH);
    assert.deepEqual(
      body.data.map((each: { subscription_id: string }) => each.subscription_id),
      [id],
    );
    assert.equal(body.meta.total_subscriptions, 1);
    assert.equal((await app.call('GET', PATH)).body.meta.total_subscriptions, 2);
  });

  test('share one limit, whoever made them', async () => {
    const { app, own, user, keys } = await newPerson(world);
    await world.service.store.write(async (tx) => {
      const application = (await tx.credentials.findApplicationByKey(keys.consumer_key))!;
      await tx.applicationLimits.set(application.id, 'subscriptions', 2);
    });
    await makeSubscription(app, bio());
    await makeSubscription(own, { event_type: 'spaces.end', filter: { user_id: user } });
    expect(
      await app.call('POST', PATH, { event_type: 'spaces.start', filter: { user_id: user } }),
      400,
      wrong('Subscription limit of 2 reached.'),
    );
  });
});
