import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MatchedBatch } from '../../src/contract/store/events.ts';
import {
  asUser,
  type Envelope,
  type Heard,
  happen,
  listen,
  newPerson,
  type Person,
  SUBSCRIPTIONS,
  sendForm,
  subscribe,
} from '../rig/activity.ts';
import type { Keys } from '../rig/client.ts';
import { logAfter } from '../rig/events.ts';
import { ownText } from '../rig/foreign-words.ts';
import type { Standing } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const person = (standing: Standing = {}): Promise<Person> => newPerson(world, standing);
const profile = (keys: Keys, form: Record<string, string>) =>
  sendForm(world, keys, '/1.1/account/update_profile.json', form);
const types = (envelopes: readonly Envelope[]) => envelopes.map(({ data }) => data.event_type);
/** What a batch was, in bytes. */
const lines = (batches: readonly MatchedBatch[]) =>
  batches
    .flatMap(({ byApplication }) => [...byApplication.values()].flat())
    .map(({ line }) => ownText(line.toString()));

describe('a profile change', () => {
  test('appends an event with exactly the bytes of the reference', async () => {
    const { user, keys, app } = await person();
    await subscribe(app, 'profile.update.bio', { user_id: user }, { tag: 'bio-watch' });
    const heard = listen(world);
    const first = await profile(keys, { description: 'Old bio' });
    assert.deepEqual([first.status, first.body.description], [200, 'Old bio'], first.text);
    await profile(keys, { description: 'Tee für "zwei"\n& mehr' });
    const [, second] = await heard.envelopes();
    assert.equal(
      lines(heard.batches)[1],
      `{"data":{"event_uuid":"${second!.data.event_uuid}","event_type":"profile.update.bio","filter":{"user_id":"${user}"},"tag":"bio-watch","payload":{"before":"Old bio","after":"Tee für \\"zwei\\"\\n& mehr"}}}\r\n`,
    );
    assert.match(second!.data.event_uuid, /^73\d{17}$/);
  });

  test('appends no event when nothing changes, or when the field has no event type', async () => {
    const { user, keys, app } = await person();
    await subscribe(app, 'profile.update.bio', { user_id: user });
    const heard = listen(world);
    await profile(keys, { description: '' });
    const reply = await profile(keys, { name: 'Ada L.', location: 'Here', url: 'https://ada.test/' });
    assert.deepEqual([reply.body.name, reply.body.location, reply.body.url], ['Ada L.', 'Here', 'https://ada.test/']);
    assert.deepEqual(await heard.envelopes(), []);
    assert.equal((await profile(keys, { url: '' })).body.url, null);
    const shown = await asUser(world, keys).call('GET', '/2/users/me?user.fields=description,location,url');
    assert.deepEqual(shown.body.data, {
      id: user,
      name: 'Ada L.',
      username: `p_${user}`,
      description: '',
      location: 'Here',
      url: null,
    });
  });

  const refused = [
    ['a name of 51 characters', { name: 'é'.repeat(51) }, 'name: a name is 1 to 50 characters'],
    ['no name', { name: '' }, 'name: a name is 1 to 50 characters'],
    [
      'a description of 161 characters',
      { description: 'x'.repeat(161) },
      'description: a description is at most 160 characters',
    ],
    ['a place of 31 characters', { location: 'x'.repeat(31) }, 'location: a location is at most 30 characters'],
    [
      'an address of another kind',
      { url: 'javascript:alert(1)' },
      'url: an address begins with https:// or http:// and has at most 100 characters',
    ],
  ] as const;
  for (const [input, form, why] of refused) {
    test(`rejects ${input}`, async () => {
      const { keys } = await person();
      const reply = await profile(keys, form);
      assert.equal(reply.status, 403, reply.text);
      assert.deepEqual(reply.body, { errors: [{ code: 120, message: `Account update failed: ${why}.` }] });
    });
  }
});

describe('an event emitted by an operator', () => {
  const space = (user_id: string, more: object = {}) => ({
    event_type: 'spaces.start',
    user_id,
    payload: { broadcast_id: '1exampleSpAce', event_type: 'spaces.start' },
    ...more,
  });

  test('is delivered like any other', async () => {
    const { user, app } = await person();
    await subscribe(app, 'spaces.start', { user_id: user });
    const heard = listen(world);
    const reply = await happen(world, space(user));
    assert.equal(reply.status, 202, reply.text);
    const [envelope] = await heard.envelopes();
    assert.deepEqual(reply.body, { data: { event_uuid: envelope!.data.event_uuid } });
    assert.deepEqual(envelope!.data.payload, space(user).payload);
  });

  const refused: readonly (readonly [input: string, body: (user: string) => unknown, parameter: string | undefined])[] =
    [
      ['of an unknown type', (user) => space(user, { event_type: 'SpacesStart' }), 'event_type'],
      ['without a payload', (user) => space(user, { payload: null }), 'payload'],
      ['with a payload that is a text', (user) => space(user, { payload: 'x' }), undefined],
      ['of nobody', () => space('1'), 'user_id'],
      ['with a direction that there is not', (user) => space(user, { direction: 'sent' }), 'direction'],
      ['with something beside', (user) => space(user, { colour: 'red' }), 'colour'],
      ['that is no JSON', () => '{"event_type"', undefined],
    ];
  for (const [input, body, parameter] of refused) {
    test(`is rejected ${input}`, async () => {
      const reply = await happen(world, body((await person()).user));
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(Object.keys(reply.body.errors[0].parameters), parameter === undefined ? [] : [parameter]);
    });
  }

  test('requires the operator token', async () => {
    const { user } = await person();
    const codes = [];
    for (const token of ['', 'wrong', 'x'.repeat(64)]) {
      const reply = await happen(world, space(user), token);
      codes.push([reply.status, reply.body.errors[0].code]);
    }
    assert.deepEqual(codes, [
      [401, 215],
      [401, 89],
      [401, 89],
    ]);
  });

  test('is logged exactly once, in the order of acknowledgement', async () => {
    const { user, app } = await person();
    await subscribe(app, 'spaces.start', { user_id: user });
    const heard = listen(world);
    const acknowledged: string[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let count = 0; count < 10; count++)
          acknowledged.push((await happen(world, space(user))).body.data.event_uuid);
      }),
    );
    const uuids = (await heard.envelopes()).map(({ data }) => data.event_uuid);
    assert.deepEqual(uuids, [...uuids].sort());
    assert.deepEqual(uuids, [...acknowledged].sort());
    const { batches } = heard;
    const positions = batches.flatMap(({ events }) => events.map(({ position }) => position));
    // Nothing is left out between what is handed over.
    assert.deepEqual(
      positions,
      Array.from(positions, (_, index) => positions[0]! + index),
    );
  });
});

describe('a keyword', () => {
  const found: readonly (readonly [keyword: string, bio: string, isFound: boolean])[] = [
    ['tea', 'I drink TEA.', true],
    ['tea', 'a steak', false],
    ['tea', 'tea_time', false],
    ['tea', 'steak, then tea', true],
    ['tea', 'té', false],
    ['STRASSE', 'in der Straße 3', true],
    ['green tea', 'my Green Tea!', true],
    ['#tea', 'x#tea', true],
    ['tea', '', false],
    // Scripts that put no blanks between words: every character is a border.
    ['新闻', '今天新闻很多', true],
    ['新闻', '今天新 闻很多', false],
    ['AI', '今天ai新闻', true],
    ['2024', '自2024年以来', true],
    ['ニュース', '今日のﾆｭｰｽです', true],
    ['shop', 'コーヒーshop', true],
    ['ひらがな', 'これはひらがなで', true],
    ['ข่าว', 'อ่านข่าววันนี้', true],
    // A sign that stands above a letter belongs to it.
    ['ก', 'กี่', false],
    ['ข่า', 'ข่าว', true],
    ['ຂ່າວ', 'ອ່ານຂ່າວມື້ນີ້', true],
    ['ព័ត៌មាន', 'អានព័ត៌មានថ្ងៃនេះ', true],
    ['ដ', 'ក្ដ', false],
    ['သတင်း', 'ယနေ့သတင်းများ', true],
    ['တ', 'မန္တလေး', false],
    // Others have blanks, and words are whole.
    ['뉴스', '오늘뉴스', false],
    ['뉴스', '오늘 뉴스', true],
    ['نص', 'النص', false],
    ['вод', 'вода', false],
  ];
  test('matches whole words, case-insensitively, in any script', async () => {
    const seen: [string, string, boolean][] = [];
    for (const [keyword, bio] of found) {
      const { user, keys, app } = await person();
      await profile(keys, { description: 'before' });
      await subscribe(app, 'profile.update.bio', { user_id: user, keyword });
      const heard = listen(world);
      await profile(keys, { description: bio });
      seen.push([keyword, bio, (await heard.envelopes()).length === 1]);
      heard.following.stop();
    }
    assert.deepEqual(seen, found);
  });

  test('matches messages and titles of Spaces, and nothing in events without a text', async () => {
    const [ada, ben] = [await person(), await person()];
    await subscribe(ben.own, 'dm.received', { user_id: ben.user, keyword: 'tea' });
    await subscribe(ben.app, 'spaces.end', { keyword: 'tea' });
    await subscribe(ben.app, 'profile.update.verified', { user_id: ben.user, keyword: 'blue' });
    const heard = listen(world);
    for (const text of ['coffee?', 'or tea?'])
      await ada.own.call('POST', `/2/dm_conversations/with/${ben.user}/messages`, { text });
    for (const keyword_text of ['coffee', 'tea', undefined])
      await happen(world, { event_type: 'spaces.end', user_id: ada.user, payload: {}, keyword_text });
    await happen(world, { event_type: 'profile.update.verified', user_id: ben.user, payload: { after: 'blue' } });
    assert.deepEqual(types(await heard.envelopes()), ['dm.received', 'spaces.end']);
  });
});

describe('a subscription', () => {
  const bio = (heard: Heard) => heard.envelopes().then((all) => all.map(({ data }) => [data.tag, data.payload.after]));

  test('receives events from its creation until its deletion, with its current tag', async () => {
    const { user, keys, app } = await person();
    const heard = listen(world);
    await profile(keys, { description: 'one' });
    const id = await subscribe(app, 'profile.update.bio', { user_id: user });
    await profile(keys, { description: 'two' });
    await heard.envelopes();
    await app.call('PUT', `${SUBSCRIPTIONS}/${id}`, { tag: 'tagged' });
    await profile(keys, { description: 'three' });
    await heard.envelopes();
    await app.call('DELETE', `${SUBSCRIPTIONS}/${id}`);
    await profile(keys, { description: 'four' });
    assert.deepEqual(await bio(heard), [
      [undefined, 'two'],
      ['tagged', 'three'],
    ]);
  });

  test('gets its own envelope with the same uuid when several match', async () => {
    const { user, keys, app } = await person();
    await subscribe(app, 'profile.update.bio', { user_id: user }, { tag: 'all' });
    await subscribe(app, 'profile.update.bio', { user_id: user, keyword: 'tea' }, { tag: 'tea' });
    const other = await person();
    await subscribe(other.app, 'profile.update.bio', { user_id: user });
    const heard = listen(world);
    await profile(keys, { description: 'tea' });
    const all = await heard.envelopes();
    assert.equal(new Set(all.map(({ data }) => data.event_uuid)).size, 1);
    assert.deepEqual(all.map(({ data }) => data.tag).sort(), ['all', 'tea', undefined]);
    assert.equal((await heard.envelopes(other.application)).length, 1);
  });

  const ends: readonly (readonly [how: string, end: (ben: Person) => Promise<unknown>])[] = [
    [
      'its token is revoked',
      async ({ keys }) => {
        const reply = await sendForm(world, keys, '/1.1/oauth/invalidate_token', {});
        assert.equal(reply.status, 200, reply.text);
      },
    ],
  ];
  for (const [how, end] of ends) {
    test(`to message events receives nothing once ${how}`, async () => {
      const [ada, ben] = [await person(), await person()];
      await subscribe(ben.own, 'dm.received', { user_id: ben.user });
      await subscribe(ben.app, 'profile.update.bio', { user_id: ben.user });
      const heard = listen(world);
      const send = (text: string) => ada.own.call('POST', `/2/dm_conversations/with/${ben.user}/messages`, { text });
      await send('before');
      await heard.envelopes();
      await end(ben);
      await send('after');
      await happen(world, { event_type: 'profile.update.bio', user_id: ben.user, payload: {}, keyword_text: 'x' });
      assert.deepEqual(types(await heard.envelopes()), ['dm.received', 'profile.update.bio']);
    });
  }
});

describe('the log', () => {
  test('replays stored events, matched with current subscriptions', async () => {
    const { user, keys, app, application } = await person();
    const { store, services } = world.service;
    const from = await store.write((tx) => tx.events.assignPositions());
    await profile(keys, { description: 'one' });
    const first = await subscribe(app, 'profile.update.bio', { user_id: user });
    await profile(keys, { description: 'two' });
    const events = await logAfter(world.service, from);
    assert.deepEqual(
      events.map(({ position }) => position - from),
      [1, 2],
    );
    const mine = await services.activity.feed.deliveriesOf(events, { application });
    assert.deepEqual(
      mine.map(({ event }) => JSON.parse(event.payload).after),
      ['two'],
    );
    const all = await services.activity.feed.deliveriesOf(events, {
      application,
      includesOlder: true,
      isReplay: true,
    });
    assert.deepEqual(
      all.map(({ body, subscription }) => [subscription.id, JSON.parse(ownText(body.toString())).meta]),
      [
        [first, { replay: true }],
        [first, { replay: true }],
      ],
    );
    assert.ok(ownText(all[0]!.body.toString()).endsWith('"after":"one"}},"meta":{"replay":true}}'));
    assert.deepEqual(
      await services.activity.feed.deliveriesOf(events, { application: 'nobody', includesOlder: true }),
      [],
    );
    const at = await store.read((tx) => tx.events.listAt([from + 2, from + 1, from + 9000]));
    assert.deepEqual(at, events);
  });

  test('can be read from a point in time', async () => {
    const { keys } = await person();
    const { store } = world.service;
    const before = await store.write((tx) => tx.events.assignPositions());
    world.clock.advance(10);
    await profile(keys, { description: 'later' });
    const { created_at } = (await logAfter(world.service, before))[0]!;
    assert.equal(await store.read((tx) => tx.events.findBefore(created_at)), before);
    assert.equal(await store.read((tx) => tx.events.findBefore('2100-01-01T00:00:00Z')), before + 1);
  });

  describe('after an event of a unit of work that read the clock', () => {
    /** Appends events with these times; the position before them, and the times that they have. */
    const appended = async (...times: readonly string[]) => {
      const { store } = world.service;
      const before = await store.write((tx) => tx.events.assignPositions());
      const event = { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: '{}' } as const;
      for (const time of times) await store.write((tx) => tx.events.append([event], time));
      const events = await logAfter(world.service, before);
      return { before, times: events.map(({ created_at }) => created_at) };
    };

    test('minutes before, because its server stood still, can be read from a point in time', async () => {
      const [early, late] = ['2026-04-01T12:00:00Z', '2026-04-01T12:05:00Z'];
      const { before, times } = await appended(late, early, late);
      assert.deepEqual(times, [late, late, late]);
      assert.equal(await world.service.store.read((tx) => tx.events.findBefore(early)), before);
    });

    test('that was ahead, and is not any more, have their own times', async () => {
      const [ahead, right] = ['2999-01-01T00:00:00Z', '2026-04-02T12:00:00Z'];
      assert.deepEqual((await appended(ahead, right)).times, [ahead, right]);
    });
  });
});
