import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  asApplication,
  type Caller,
  makeSubscription,
  newPerson,
  noSubscription,
  type Person,
  SUBSCRIPTIONS,
  wrongRequest,
} from '../rig/activity.ts';
import type { Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { openReceiver } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = SUBSCRIPTIONS;
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

/** A webhook of somebody's application, with a receiver that knows its secret. */
async function webhookOf({ app, keys }: Person): Promise<string> {
  const { url } = await openReceiver(keys.consumer_secret);
  return (await app.call('POST', '/2/webhooks', { url })).body.data.id;
}

describe('updating a subscription', () => {
  const change = (caller: Caller, id: string, body: object) => caller.call('PUT', `${PATH}/${id}`, body);

  test('changes or removes its tag', async () => {
    const { app } = await newPerson(world);
    const id = await makeSubscription(app, bio({ tag: 'one' }));
    world.clock.advance(10);
    const reply = await change(app, id, { tag: 'two' });
    assert.equal(reply.status, 200, reply.text);
    const { subscription } = reply.body.data;
    assert.deepEqual([subscription.tag, subscription.updated_at > subscription.created_at], ['two', true]);
    assert.deepEqual([reply.body.data.total_subscriptions, reply.body.meta], [1, { total_subscriptions: 1 }]);
    const bare = await change(app, id, { tag: null });
    assert.equal('tag' in bare.body.data.subscription, false);
  });

  const refused = [
    [
      'what it is to',
      { event_type: 'spaces.end' },
      '$.event_type: cannot be changed; delete the subscription and create another',
      { event_type: ['spaces.end'] },
    ],
    [
      'its filter',
      { filter: {}, tag: 'x' },
      '$.filter: cannot be changed; delete the subscription and create another',
      { filter: ['{}'] },
    ],
    ['nothing', {}, '$: has none of [tag, webhook_id]', {}],
    ['to a list', [], '$: is not an object', {}],
    ['its tag to nothing', { tag: '' }, 'The `tag` value is empty', { tag: [''] }],
    ['its tag to a number in a list', { tag: [1] }, 'The `tag` value is not a text', { tag: ['[1]'] }],
    [
      'its tag to a control character',
      { tag: '\u0007' },
      'The `tag` value has characters that a text cannot have',
      { tag: ['\u0007'] },
    ],
    [
      'its tag to 201 characters',
      { tag: 'x'.repeat(201) },
      'The `tag` value has 201 characters; the most are 200',
      { tag: [`${'x'.repeat(200)}...`] },
    ],
    [
      'its webhook to no id',
      { webhook_id: 7 },
      'The `webhook_id` value [7] is not a text of 1 to 19 digits',
      { webhook_id: ['7'] },
    ],
    [
      'its webhook to that of nobody',
      { webhook_id: '19' },
      'WebhookIdInvalid: no webhook of this application has the id [19]',
      { webhook_id: ['19'] },
    ],
    ['something else', { colour: 'red' }, '$.colour: is not one of [tag, webhook_id]', { colour: ['red'] }],
  ] as const;
  for (const [what, body, message, parameters] of refused) {
    test(`never changes ${what}`, async () => {
      const { app } = await newPerson(world);
      expect(await change(app, await makeSubscription(app, bio()), body), 400, wrong(message, parameters));
    });
  }

  test('changes its webhook, unless that makes a duplicate', async () => {
    const own = await newPerson(world);
    const webhook = await webhookOf(own);
    const plain = await makeSubscription(own.app, bio());
    const pointing = await makeSubscription(own.app, bio({ webhook_id: webhook }));
    const wrongWay = await change(own.app, plain, { webhook_id: webhook });
    const said = 'Duplicate subscription: a subscription with this event_type and filter already exists.';
    expect(wrongWay, 400, wrong(said, { webhook_id: [] }));
    expect(await change(own.app, pointing, { webhook_id: null }), 400, wrong(said, { webhook_id: [] }));
    await own.app.call('DELETE', `${PATH}/${plain}`);
    const moved = await change(own.app, pointing, { webhook_id: null });
    assert.equal('webhook_id' in moved.body.data.subscription, false, moved.text);
    assert.equal((await change(own.app, pointing, { webhook_id: webhook })).body.data.subscription.webhook_id, webhook);
    const other = await newPerson(world);
    const id = await makeSubscription(other.app, bio());
    const message = `WebhookIdInvalid: no webhook of this application has the id [${webhook}]`;
    expect(await change(other.app, id, { webhook_id: webhook }), 400, wrong(message, { webhook_id: [webhook] }));
  });

  test('detaches a deleted webhook, even when that makes a duplicate', async () => {
    const own = await newPerson(world);
    const webhook = await webhookOf(own);
    await makeSubscription(own.app, bio());
    await makeSubscription(own.app, bio({ webhook_id: webhook }));
    await makeSubscription(own.app, bio({ event_type: 'spaces.end', webhook_id: webhook }));
    assert.equal((await own.app.call('DELETE', `/2/webhooks/${webhook}`)).status, 200);
    const { body } = await own.app.call('GET', PATH);
    assert.deepEqual(
      body.data.map((each: object) => 'webhook_id' in each),
      [false, false, false],
    );
    for (const event_type of ['profile.update.bio', 'spaces.end']) {
      const again = await own.app.call('POST', PATH, bio({ event_type }));
      assert.match(again.body.errors?.[0].message ?? '', /^Duplicate/);
    }
  });

  test('is refused to others', async () => {
    const [one, other] = [await newPerson(world), await newPerson(world)];
    const id = await makeSubscription(one.app, bio());
    for (const caller of [other.app, other.own, one.own]) {
      expect(await change(caller, id, { tag: 'x' }), 404, noSubscription(world, id));
    }
  });
});

describe('deleting subscriptions', () => {
  test('one by one', async () => {
    const { app } = await newPerson(world);
    const id = await makeSubscription(app, bio());
    expect(await app.call('DELETE', `${PATH}/${id}`), 200, {
      data: { deleted: true },
      meta: { total_subscriptions: 0 },
    });
    expect(await app.call('DELETE', `${PATH}/${id}`), 404, noSubscription(world, id));
    await makeSubscription(app, bio());
  });

  test('many at once, with missing ids listed under errors', async () => {
    const { app, own, user } = await newPerson(world);
    const [a, b, c] = [
      await makeSubscription(app, bio()),
      await makeSubscription(app, bio({ event_type: 'spaces.end' })),
      await makeSubscription(own, { event_type: 'spaces.start', filter: { user_id: user } }),
    ];
    const missing = (subscription_id: string) => ({
      subscription_id,
      reason: 'NotFound',
      message: `Could not find subscription with subscription_id: [${subscription_id}].`,
    });
    expect(await own.call('DELETE', `${PATH}?ids=${a},19`), 200, {
      data: [],
      errors: [missing(a), missing('19')],
      meta: { total_subscriptions: 1 },
    });
    expect(await app.call('DELETE', `${PATH}?ids=${c},${a},7`), 200, {
      data: [
        { subscription_id: c, deleted: true },
        { subscription_id: a, deleted: true },
      ],
      errors: [missing('7')],
      meta: { total_subscriptions: 1 },
    });
    expect(await app.call('DELETE', `${PATH}?ids=${b}`), 200, {
      data: [{ subscription_id: b, deleted: true }],
      meta: { total_subscriptions: 0 },
    });
  });

  const refused = [
    ['', 'The `ids` parameter is missing', { ids: [] }],
    ['?ids=x', 'The `ids` value [x] is not a text of 1 to 19 digits', { ids: ['x'] }],
    [
      `?ids=${Array.from({ length: 101 }, (_, index) => index + 1).join()}`,
      'The `ids` value has too many items; the most are 100',
      { ids: [] },
    ],
  ] as const;
  for (const [query, message, parameters] of refused) {
    test(`not with ${query.slice(0, 20) || 'nothing'}`, async () => {
      expect(await app.call('DELETE', PATH + query), 400, wrong(message, parameters));
    });
  }
});
