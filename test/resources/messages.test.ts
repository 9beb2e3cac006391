import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MatchedBatch } from '../../src/contract/store/events.ts';
import { conversationOf } from '../../src/contract/store/messages.ts';
import {
  asUser,
  type Caller,
  type Envelope,
  listen,
  newPerson,
  type Person,
  sendForm,
  subscribe,
} from '../rig/activity.ts';
import type { Keys } from '../rig/client.ts';
import { register, type Standing } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const person = (standing: Standing = {}): Promise<Person> => newPerson(world, standing);
const _profile = (keys: Keys, form: Record<string, string>) =>
  sendForm(world, keys, '/1.1/account/update_profile.json', form);
const _types = (envelopes: readonly Envelope[]) => envelopes.map(({ data }) => data.event_type);
/** What a batch was, in bytes. */
const _lines = (batches: readonly MatchedBatch[]) =>
  batches.flatMap(({ byApplication }) => [...byApplication.values()].flat()).map(({ line }) => line.toString());

describe('a message', () => {
  const send = (from: Caller, to: string, body: unknown) =>
    from.call('POST', `/2/dm_conversations/with/${to}/messages`, body);

  test('is an event for both users, and for nobody else', async () => {
    const [ada, ben, eve] = [await person(), await person(), await person()];
    await subscribe(ada.own, 'dm.sent', { user_id: ada.user }, { tag: 'out' });
    await subscribe(ada.own, 'dm.received', { user_id: ada.user });
    await subscribe(ben.own, 'dm.received', { user_id: ben.user }, { tag: 'inbox' });
    await subscribe(eve.own, 'dm.received', { user_id: eve.user });
    const heard = listen(world);
    const text = `Hello #team @p_${ada.user} $ABC https://a.test/x`;
    const reply = await send(ada.own, ben.user, { text });
    assert.equal(reply.status, 201, reply.text);
    const { dm_event_id: id } = reply.body.data;
    assert.deepEqual(reply.body, { data: { dm_conversation_id: `${ada.user}-${ben.user}`, dm_event_id: id } });
    const shown = (user: string) => ({
      data: { id: user, name: 'Person', username: `p_${user}`, verified: false, protected: false },
    });
    const payload = {
      direct_message_events: [
        {
          type: 'message_create',
          id,
          created_timestamp: String(world.clock.now()),
          message_create: {
            target: { recipient_id: ben.user },
            sender_id: ada.user,
            message_data: {
              text,
              entities: {
                hashtags: [{ text: 'team', indices: [6, 11] }],
                symbols: [{ text: 'ABC', indices: [25, 29] }],
                user_mentions: [
                  {
                    screen_name: `p_${ada.user}`,
                    name: 'Person',
                    id: ada.user,
                    id_str: ada.user,
                    indices: [12, 24],
                  },
                ],
                urls: [
                  {
                    url: 'https://a.test/x',
                    expanded_url: 'https://a.test/x',
                    display_url: 'a.test/x',
                    indices: [30, 46],
                  },
                ],
              },
            },
          },
        },
      ],
      users: { [ada.user]: shown(ada.user), [ben.user]: shown(ben.user) },
    };
    assert.deepEqual(
      (await heard.envelopes()).map(({ data: { event_type, filter, tag, payload } }) => ({
        event_type,
        filter,
        tag,
        payload,
      })),
      [
        { event_type: 'dm.sent', filter: { user_id: ada.user }, tag: 'out', payload },
        { event_type: 'dm.received', filter: { user_id: ben.user }, tag: 'inbox', payload },
      ],
    );
  });

  const refused: readonly (readonly [
    input: string,
    body: unknown,
    to: (own: Person) => string | Promise<string>,
    status: number,
    message: string,
  ])[] = [
    ['no text', {}, async () => (await person()).user, 400, '$.text: is missing but it is required'],
    ['an empty text', { text: '' }, async () => (await person()).user, 400, 'The `text` value is empty'],
    [
      'a text of 10,001 characters',
      { text: 'é'.repeat(10_001) },
      async () => (await person()).user,
      400,
      'The `text` value has 10001 characters; the most are 10000',
    ],
    [
      'something beside',
      { text: 'x', media: [] },
      async () => (await person()).user,
      400,
      '$.media: is not one of [text]',
    ],
    ['a list', [], async () => (await person()).user, 400, '$: is not an object'],
    ['a text that is none', { text: 7 }, async () => (await person()).user, 400, 'The `text` value is not a text'],
    [
      'a control character',
      { text: 'a\u0000' },
      async () => (await person()).user,
      400,
      'The `text` value has characters that a text cannot have',
    ],
    ['oneself', { text: 'x' }, (own) => own.user, 400, ' is the id of the sender'],
    ['nobody', { text: 'x' }, () => '1', 404, 'Could not find user with participant_id: [1].'],
    [
      'somebody who is suspended',
      { text: 'x' },
      async () => (await person({ isUserSuspended: true })).user,
      404,
      'Could not find user with participant_id: ',
    ],
  ];
  for (const [input, body, to, status, message] of refused) {
    test(`is not sent with or to ${input}`, async () => {
      const own = await person();
      const reply = await send(own.own, await to(own), body);
      assert.equal(reply.status, status, reply.text);
      const [error] = reply.body.errors;
      assert.ok((error.message ?? error.detail).includes(message), reply.text);
    });
  }

  test('belongs to one conversation, whoever of the two sends it', async () => {
    const [ada, ben] = [await person(), await person()];
    const conversations = [await send(ada.own, ben.user, { text: 'x' }), await send(ben.own, ada.user, { text: 'y' })];
    const id = `${ada.user}-${ben.user}`;
    assert.deepEqual(
      conversations.map(({ body }) => body.data.dm_conversation_id),
      [id, id],
    );
  });

  test('may have several lines', async () => {
    const [ada, ben] = [await person(), await person()];
    assert.equal((await send(ada.own, ben.user, { text: 'a\n\tb' })).status, 201);
  });

  test('is not sent with a token without access to messages', async () => {
    const [ada, ben] = [await register(world), await person()];
    const reply = await send(asUser(world, ada), ben.user, { text: 'x' });
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.body.type, `${world.service.url}/2/problems/oauth1-permissions`);
  });
});

describe('read receipts and typing', () => {
  const typing = (keys: Keys, form: Record<string, string>) =>
    sendForm(world, keys, '/1.1/direct_messages/indicate_typing.json', form);
  const read = (keys: Keys, form: Record<string, string>) =>
    sendForm(world, keys, '/1.1/direct_messages/mark_read.json', form);
  const brief = (user: string) => ({ data: { id: user, name: 'Person', username: `p_${user}` } });

  test('is reported to the other user, and to the caller on request', async () => {
    const [ada, ben] = [await person(), await person()];
    await subscribe(ben.own, 'dm.indicate_typing', { user_id: ben.user });
    await subscribe(ada.own, 'dm.indicate_typing', { user_id: ada.user, direction: 'sent' });
    await subscribe(ada.own, 'dm.indicate_typing', { user_id: ada.user }, { tag: 'of the other side only' });
    const heard = listen(world);
    const reply = await typing(ada.keys, { recipient_id: ben.user });
    assert.deepEqual([reply.status, reply.text], [204, '']);
    const payload = {
      direct_message_indicate_typing_events: [
        { created_timestamp: String(world.clock.now()), sender_id: ada.user, target: { recipient_id: ben.user } },
      ],
      users: { [ada.user]: brief(ada.user), [ben.user]: brief(ben.user) },
    };
    assert.deepEqual(
      (await heard.envelopes()).map(({ data }) => [data.filter, data.payload]),
      [
        [{ user_id: ada.user, direction: 'sent' }, payload],
        [{ user_id: ben.user }, payload],
      ],
    );
  });

  test('up to a message is reported once', async () => {
    const [ada, ben, eve] = [await person(), await person(), await person()];
    await subscribe(ada.own, 'dm.read', { user_id: ada.user, direction: 'both' });
    const sent = await ada.own.call('POST', `/2/dm_conversations/with/${ben.user}/messages`, { text: 'x' });
    const last_read_event_id = sent.body.data.dm_event_id;
    const heard = listen(world);
    for (let time = 0; time < 2; time++) {
      const reply = await read(ben.keys, { recipient_id: ada.user, last_read_event_id });
      assert.equal(reply.status, 204, reply.text);
    }
    const [envelope, ...others] = await heard.envelopes();
    assert.deepEqual(others, []);
    assert.deepEqual(envelope!.data.payload, {
      direct_message_mark_read_events: [
        {
          created_timestamp: String(world.clock.now()),
          sender_id: ben.user,
          target: { recipient_id: ada.user },
          last_read_event_id,
        },
      ],
      users: { [ben.user]: brief(ben.user), [ada.user]: brief(ada.user) },
    });
    // One's own message, and a message between others.
    for (const [keys, recipient_id] of [
      [ada.keys, ben.user],
      [eve.keys, ada.user],
    ] as const) {
      const reply = await read(keys, { recipient_id, last_read_event_id });
      assert.equal(reply.status, 404, reply.text);
      assert.deepEqual(reply.body.errors, [{ code: 34, message: 'Sorry, that page does not exist.' }]);
    }
  });

  const missing = [
    ['recipient_id', { last_read_event_id: '1' }],
    ['last_read_event_id', { recipient_id: '1' }],
    ['last_read_event_id', { recipient_id: '1', last_read_event_id: '' }],
  ] as const;
  for (const [parameter, form] of missing) {
    test(`needs ${parameter}: ${JSON.stringify(form)}`, async () => {
      const reply = await read((await person()).keys, form as unknown as Record<string, string>);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body.errors, [{ code: 38, message: `${parameter} parameter is missing.` }]);
    });
  }

  test('needs a token with access to messages, and another user', async () => {
    const [plain, ada] = [await register(world), await person()];
    const said = async (keys: Keys, recipient_id: string) => {
      const reply = await typing(keys, { recipient_id });
      return [reply.status, reply.body.errors[0].code];
    };
    assert.deepEqual(await said(plain, ada.user), [403, 93]);
    assert.deepEqual(await said(ada.keys, ada.user), [403, 151]);
    assert.deepEqual(await said(ada.keys, '1'), [403, 108]);
    assert.deepEqual(await said(ada.keys, 'x'), [400, 44]);
    const reading = async (keys: Keys, recipient_id: string) => {
      const reply = await read(keys, { recipient_id, last_read_event_id: '19' });
      return [reply.status, reply.body.errors[0].code];
    };
    assert.deepEqual(await reading(plain, ada.user), [403, 93]);
    assert.deepEqual(await reading(ada.keys, ada.user), [403, 151]);
    assert.deepEqual(await reading(ada.keys, '1'), [403, 108]);
    const reply = await typing(ada.keys, {});
    assert.deepEqual([reply.status, reply.body.errors[0].code], [403, 38]);
  });
});

test('messages, and how far they were read, are removed with the events of their time', async () => {
  const [ada, ben] = [await person(), await person()];
  const { event_retention_s } = world.service.settings;
  const send = async (text: string): Promise<string> =>
    (await ada.own.call('POST', `/2/dm_conversations/with/${ben.user}/messages`, { text })).body.data.dm_event_id;
  const read = async (last_read_event_id: string): Promise<number> =>
    (
      await sendForm(world, ben.keys, '/1.1/direct_messages/mark_read.json', {
        recipient_id: ada.user,
        last_read_event_id,
      })
    ).status;
  const kept = async (ids: readonly string[]) => {
    // The job runs every ten minutes.
    await world.service.jobs.runDue();
    return world.service.store.read(async (tx) => ({
      messages: await Promise.all(ids.map(async (id) => (await tx.messages.find(id)) !== undefined)),
      mark: (await tx.messages.findMark(conversationOf(ada.user, ben.user), ben.user))?.last_read_id,
    }));
  };
  const first = await send('first');
  assert.equal(await read(first), 204);
  world.clock.advance(event_retention_s);
  const second = await send('second');
  assert.deepEqual(await kept([first, second]), { messages: [true, true], mark: first });
  world.clock.advance(601);
  assert.deepEqual(await kept([first, second]), { messages: [false, true], mark: undefined });
  assert.deepEqual([await read(first), await read(second)], [404, 204]);
  world.clock.advance(event_retention_s + 601);
  assert.deepEqual(await kept([first, second]), { messages: [false, false], mark: undefined });
});
