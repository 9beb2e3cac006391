import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { errors, good, openFixture, type Params, type PostFixture } from './post-calls.ts';

let world: World;
let place: PostFixture;
let ada: string;
let ben: string;
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', post_source_name: 'Lumen & Co', post_source_url: 'https://ads.lumen.example' },
  });
  place = await openFixture(world);
  [ada, ben] = [world.keys.user_id!, world.keys.other_user_id!];
});
after(() => world.close());

const post = (params: Params) => world.sandbox.call('POST', `${place.path}/post`, { params });
const list = (params: Params = {}) => place.get('posts', { post_type: 'PUBLISHED', ...params });
const ids = async (params: Params = {}): Promise<string[]> =>
  (good(await list(params)) as unknown as { id: string }[]).map(({ id }) => id);

const USER = {
  name: 'Ada Demo',
  screen_name: 'ada_demo',
  location: '',
  description: '',
  url: null,
  protected: false,
  verified: false,
  followers_count: 0,
  friends_count: 0,
  listed_count: 0,
  favourites_count: 0,
  statuses_count: 0,
  created_at: 'Mon Mar 02 17:04:55 +0000 2026',
  lang: null,
  profile_image_url_https: null,
  default_profile: true,
};
const NOBODY_ANSWERED = {
  in_reply_to_status_id: null,
  in_reply_to_status_id_str: null,
  in_reply_to_user_id: null,
  in_reply_to_user_id_str: null,
  in_reply_to_screen_name: null,
};
const UNCOUNTED = { repost_count: 0, favorite_count: 0, favorited: false, reposted: false };
const NOWHERE = { geo: null, coordinates: null, place: null };
const SOURCE = '<a href="https://ads.lumen.example" rel="nofollow">Lumen &#38; Co</a>';

describe('publishing', () => {
  test('returns the whole post', async () => {
    const text = 'Swipe through our winter menu';
    const made = good(await post({ text, trim_user: true, name: 'Menu' })) as unknown as { id: string };
    assert.match(made.id, /^\d{19}$/);
    assert.deepEqual(made, {
      created_at: 'Mon Mar 02 17:04:55 +0000 2026',
      id: made.id,
      id_str: made.id,
      text,
      name: 'Menu',
      truncated: false,
      entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] },
      source: SOURCE,
      ...NOBODY_ANSWERED,
      user: { id: ada, id_str: ada },
      ...NOWHERE,
      contributors: null,
      ...UNCOUNTED,
      scopes: { followers: false },
      lang: 'en',
    });
    const [read] = good(await list({ post_ids: made.id })) as unknown as object[];
    assert.deepEqual(read, {
      id: made.id,
      id_str: made.id,
      post_id: made.id,
      post_type: 'PUBLISHED',
      nullcast: true,
      name: 'Menu',
      full_text: text,
      display_text_range: [0, 29],
      conversation_settings: 'EVERYONE',
      scheduled_at: null,
      scheduled_status: null,
      created_at: 'Mon Mar 02 17:04:55 +0000 2026',
      truncated: false,
      entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] },
      source: SOURCE,
      ...NOBODY_ANSWERED,
      user: { id: ada, id_str: ada, ...USER },
      ...NOWHERE,
      contributors: null,
      ...UNCOUNTED,
      scopes: { followers: false },
      lang: 'en',
    });
  });

  test('returns entities with positions in code points', async () => {
    const text = '\u{1f600} @ada_demo, @nobody_at_all: #Beans $LUM https://www.lumen.example/a.';
    const made = good(await post({ text, post_mode: 'extended' })) as unknown as Record<string, unknown>;
    assert.equal('text' in made, false);
    assert.equal(made.full_text, text);
    assert.deepEqual(made.display_text_range, [0, [...text].length]);
    assert.deepEqual(made.user, { id: ada, id_str: ada, ...USER });
    const url = 'https://www.lumen.example/a';
    assert.deepEqual(made.entities, {
      hashtags: [{ text: 'Beans', indices: [29, 35] }],
      symbols: [{ text: 'LUM', indices: [36, 40] }],
      user_mentions: [{ screen_name: 'ada_demo', name: 'Ada Demo', id: ada, id_str: ada, indices: [2, 11] }],
      urls: [{ url, expanded_url: url, display_url: 'lumen.example/a', indices: [41, 68] }],
    });
  });

  test('accepts line breaks, and 280 characters with URLs counted as 23', async () => {
    const made = good(await post({ text: 'one\r\ntwo\n' })) as unknown as { text: string };
    assert.equal(made.text, 'one\ntwo\n');
    const address = `https://lumen.example/${'x'.repeat(300)}`;
    good(await post({ text: `${'y'.repeat(256)} ${address}` }));
    const refused = await post({ text: `${'y'.repeat(257)} ${address}` });
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a maximum length of 280, got 281 for text',
        parameter: 'text',
      },
    ]);
  });

  test('returns media, adds it to the library, and marks it as posted', async () => {
    const made = good(await post({ media_keys: '3_7001,3_7002' })) as unknown as {
      text: string;
      entities: { media: Record<string, string>[] };
    };
    assert.equal(made.text, '');
    assert.deepEqual(
      made.entities.media.map(({ media_url_https, ...each }) => [each, /^http.*\/media\//.test(media_url_https!)]),
      ['7001', '7002'].map((number) => [{ id: number, id_str: number, media_key: `3_${number}`, type: 'photo' }, true]),
    );
    const shelved = good(await place.get('media_library/3_7001')) as unknown as { posted: boolean };
    assert.equal(shelved.posted, true);
    good(await place.remove('media_library/3_7001'));
    const [read] = good(await list({ post_ids: (made as unknown as { id: string }).id })) as unknown as (typeof made)[];
    assert.equal(read!.entities.media.length, 2, 'what left the library is shown all the same');
    assert.deepEqual(errors(await post({ media_keys: '3_7001' })), ['INVALID_MEDIA media_keys']);
  });

  /** Parameters, and what is wrong with them. */
  const refused: [why: string, params: Params, errors: string[]][] = [
    ['nothing', {}, ['POST_CANNOT_BE_BLANK text']],
    ['blanks', { text: ' \n ' }, ['POST_CANNOT_BE_BLANK text']],
    ['an unknown card', { text: 'a', card_uri: 'card://7' }, ['CARD_NOT_FOUND card_uri']],
    [
      'a card without text, and media beside it',
      { card_uri: 'card://7', media_keys: '3_71' },
      ['CARD_NOT_FOUND card_uri', 'EXCLUSIVE_PARAMETERS card_uri, media_keys'],
    ],
    ['five images', { media_keys: '3_1,3_2,3_3,3_4,3_5' }, ['INVALID_MEDIA media_keys']],
    ['an image and a GIF', { media_keys: '3_1,16_2' }, ['INVALID_MEDIA media_keys']],
    ['two videos', { media_keys: '7_1,13_2' }, ['INVALID_MEDIA media_keys']],
    ['keys that are none', { media_keys: 'x,42' }, ['INVALID_MEDIA_ID media_keys', 'INVALID_MEDIA_ID media_keys']],
    ['a video title without a video', { text: 'a', video_title: 'b' }, ['INVALID_PARAMETER video_title']],
    [
      'a call to action without its address',
      { media_keys: '7_1', video_cta: 'WATCH_NOW' },
      ['INCLUSIVE_PARAMETERS video_cta_value'],
    ],
    [
      'an address without its call to action',
      { media_keys: '7_1', video_cta_value: 'https://lumen.example' },
      ['INCLUSIVE_PARAMETERS video_cta'],
    ],
    ['an author whom the account may not promote', { text: 'a', as_user_id: '7' }, ['INVALID_USER_ID as_user_id']],
  ];
  for (const [why, params, expected] of refused) {
    test(`is refused: ${why}`, async () => assert.deepEqual(errors(await post(params)), expected));
  }

  test('accepts title, description and call to action of a video', async () => {
    const video = { video_title: 'Tour', video_description: 'Inside', video_cta: 'VISIT_SITE' };
    good(await post({ media_keys: '13_9', ...video, video_cta_value: 'https://lumen.example' }));
    good(await post({ media_keys: '16_9', text: 'A GIF' }));
  });

  test('accepts a card of the account, and returns it', async () => {
    const poll = { name: 'Roast', first_choice: 'Light', second_choice: 'Dark', duration_in_minutes: 5 };
    const card = good(await place.post('cards/poll', poll as never)) as unknown as { card_uri: string };
    const made = good(await post({ text: 'Vote', card_uri: card.card_uri })) as unknown as { card_uri: string };
    assert.equal(made.card_uri, card.card_uri);
    assert.deepEqual(errors(await post({ card_uri: card.card_uri })), ['POST_CANNOT_BE_BLANK text']);
    assert.deepEqual(errors(await post({ text: 'a', card_uri: card.card_uri, media_keys: '3_1' })), [
      'EXCLUSIVE_PARAMETERS card_uri, media_keys',
    ]);
    world.clock.advance(300);
    const closed = await post({ text: 'Vote', card_uri: card.card_uri });
    assert.deepEqual(closed.body.errors, [
      { code: 'INVALID_PARAMETER', message: `Card ${card.card_uri} is closed`, parameter: 'card_uri' },
    ]);
  });
});

describe('who may post', () => {
  /** Who asks, with which permission, for whom; whether only promoted; what is said. */
  const asked: [who: 'ada' | 'ben', composer: 0 | 1, as: 'ada' | 'ben' | undefined, nullcast: boolean, says: string][] =
    [
      ['ada', 0, undefined, true, ''],
      ['ada', 0, 'ada', false, ''],
      ['ada', 0, 'ben', true, 'ACTION_NOT_ALLOWED'],
      ['ben', 0, 'ada', true, 'ACTION_NOT_ALLOWED'],
      ['ben', 1, 'ada', true, ''],
      ['ben', 1, undefined, false, 'ACTION_NOT_ALLOWED'],
      ['ben', 0, 'ben', true, ''],
      ['ben', 1, 'ben', false, 'ACTION_NOT_ALLOWED'],
    ];
  for (const [who, composer, as, nullcast, says] of asked) {
    const whom = as === undefined ? 'whom the account advertises' : as;
    test(`${who}${composer ? ', who composes,' : ''} for ${whom}, nullcast ${nullcast}: ${says || 'yes'}`, async () => {
      const own = await openFixture(world);
      await own.join(ben, 'CREATIVE_MANAGER', composer);
      await own.promotes(ben);
      const client = who === 'ada' ? world.sandbox : world.other;
      const author = as && (as === 'ada' ? ada : ben);
      const params = { text: 'Hello', nullcast, ...(author ? { as_user_id: author } : {}) };
      const reply = await client.call('POST', `${own.path}/post`, { params });
      assert.deepEqual(errors(reply), says ? [says] : []);
      assert.equal(reply.status, says ? 403 : 200);
      if (says) return;
      const isForOther = who === 'ben' && as !== 'ben';
      assert.deepEqual(reply.body.data.contributors, isForOther ? [ben] : null);
      assert.equal(reply.body.data.user.id, as === 'ben' ? ben : ada);
      const at = Math.floor(world.clock.now() / 1000);
      const when = { scheduled_at: new Date((at + 3600) * 1000).toISOString() };
      const later = await client.call('POST', `${own.path}/scheduled_posts`, { params: { ...params, ...when } });
      assert.equal(later.status, 200, later.text);
    });
  }

  test('scheduling for other users requires the same', async () => {
    const own = await openFixture(world);
    await own.join(ben, 'AD_MANAGER', 0);
    const params = { text: 'Hello', scheduled_at: '2026-06-01' };
    const refused = await world.other.call('POST', `${own.path}/scheduled_posts`, { params });
    assert.deepEqual([refused.status, errors(refused)], [403, ['ACTION_NOT_ALLOWED']]);
    const made = good(await own.post('scheduled_posts', params)) as unknown as { id: string };
    const changed = await world.other.call('PUT', `${own.path}/scheduled_posts/${made.id}`, {
      params: { name: 'Mine' },
    });
    assert.deepEqual([changed.status, errors(changed)], [403, ['ACTION_NOT_ALLOWED']]);
  });
});

describe('the list', () => {
  let own: PostFixture;
  const made: Record<string, string> = {};
  before(async () => {
    own = await openFixture(world);
    await own.promotes(ben);
    place = own;
    const posts: [name: string, params: Params][] = [
      ['plain', { text: 'Plain', name: 'Spring' }],
      ['organic', { text: 'For all', nullcast: false, name: 'spring sale' }],
      ['mention', { text: ' @ada_demo look', name: 'Summer' }],
      ['dotted', { text: '.@ada_demo look' }],
    ];
    for (const [name, params] of posts) {
      world.clock.advance(1);
      made[name] = await own.post_(params);
    }
    made.draft = good(await own.post('draft_posts', { text: 'Draft', name: 'Spring' })).id;
    made.scheduled = good(await own.post('scheduled_posts', { text: 'Later', scheduled_at: '2026-09-01' })).id;
  });
  const of = (...names: string[]) => names.map((name) => made[name]);

  test('has promoted-only posts, newest first, without those that begin with a mention', async () => {
    const all = Object.values(made);
    const known = async (params: Params) => (await ids(params)).filter((id) => all.includes(id));
    assert.deepEqual(await known({}), of('dotted', 'plain'));
    assert.deepEqual(await known({ include_mentions_and_replies: true }), of('dotted', 'mention', 'plain'));
    assert.deepEqual(await known({ timeline_type: 'ORGANIC' }), of('organic'));
    assert.deepEqual(await known({ timeline_type: 'ALL' }), of('dotted', 'organic', 'plain'));
    assert.deepEqual(await known({ timeline_type: 'ALL', name: 'SPRING' }), of('organic', 'plain'));
    assert.deepEqual(await known({ name: 'spring s' }), []);
    assert.deepEqual(await known({ post_ids: `${made.plain},${made.organic},${made.draft},9` }), of('plain'));
    assert.deepEqual(await known({ user_id: ben }), []);
  });

  test('has posts of one type', async () => {
    const type = async (post_type: string) =>
      (good(await own.get('posts', { post_type, trim_user: true })) as unknown as Record<string, unknown>[]).map(
        ({ id, post_type: type, scheduled_at, scheduled_status, user }) => [
          id,
          type,
          scheduled_at,
          scheduled_status,
          user,
        ],
      );
    const user = { id: ada, id_str: ada };
    assert.deepEqual(await type('DRAFT'), [[made.draft, 'DRAFT', null, null, user]]);
    assert.deepEqual(await type('SCHEDULED'), [
      [made.scheduled, 'SCHEDULED', '2026-09-01T00:00:00Z', 'SCHEDULED', user],
    ]);
    assert.deepEqual(await ids({ post_ids: made.draft! }), []);
  });

  test('pages, and rejects cursors of other lists', async () => {
    const whole = await ids({ timeline_type: 'ALL' });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const reply = await list({ timeline_type: 'ALL', count: 2, ...(cursor ? { cursor } : {}) });
      found.push(...(good(reply) as unknown as { id: string }[]).map(({ id }) => id));
      cursor = reply.body.next_cursor;
      if (cursor) assert.match(cursor, /^c-[\w-]+$/);
    } while (cursor);
    assert.deepEqual(found, whole);
    const { next_cursor } = (await list({ timeline_type: 'ALL', count: 1 })).body;
    const others: Params[] = [{}, { timeline_type: 'ALL', name: 'a' }, { timeline_type: 'ALL', post_type: 'DRAFT' }];
    for (const params of others) {
      const refused = await list({ ...params, cursor: next_cursor });
      assert.deepEqual([refused.status, errors(refused)], [400, ['INVALID_PARAMETER cursor']]);
    }
    assert.deepEqual(errors(await list({ timeline_type: 'ALL', cursor: next_cursor.slice(2) })), [
      'INVALID_PARAMETER cursor',
    ]);
  });

  test('is for promotable users only', async () => {
    const refused = await list({ user_id: '7' });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_USER_ID',
        message: `User 7 is not a promotable user of account ${own.account}`,
        parameter: 'user_id',
        value: '7',
      },
    ]);
    assert.deepEqual(errors(await own.get('draft_posts', { user_id: '7' })), ['INVALID_USER_ID user_id']);
    assert.deepEqual(errors(await own.get('posts')), ['MISSING_PARAMETER post_type']);
  });

  test('of production has no sandbox posts', async () => {
    const [account] = (await world.production.call('GET', '/12/accounts')).body.data;
    const params = { post_type: 'PUBLISHED', timeline_type: 'ALL' };
    const reply = await world.production.call('GET', `/12/accounts/${account.id}/posts`, { params });
    assert.deepEqual(reply.body.data, []);
    const renamed = await world.production.call('PUT', `/12/accounts/${account.id}/posts/${made.plain}/name`, {
      params: { name: 'x' },
    });
    assert.deepEqual([renamed.status, errors(renamed)], [404, ['POST_NOT_FOUND post_id']]);
  });
});

describe('renaming a post', () => {
  test('sets and clears the name, and nothing else', async () => {
    const id = await place.post_({ text: 'Named', trim_user: true });
    const before = (good(await list({ post_ids: id })) as unknown as object[])[0]!;
    const named = good(await place.put(`posts/${id}/name`, { name: 'New' }));
    assert.deepEqual(named, { ...before, name: 'New' });
    assert.deepEqual(await ids({ name: 'new' }), [id]);
    assert.deepEqual(good(await place.put(`posts/${id}/name`, { name: '' })), before);
    assert.deepEqual(await ids({ name: 'new' }), []);
  });

  test('is not possible for missing posts and posts of other users', async () => {
    for (const [id, code] of [
      ['9', 'POST_NOT_FOUND'],
      ['a_b', 'INVALID_ID_ILLEGAL_CHARACTERS'],
    ]) {
      const refused = await place.put(`posts/${id}/name`, { name: 'x' });
      assert.deepEqual([refused.status, refused.body.errors[0].code], [404, code]);
    }
    const theirs = (await world.other.call('POST', '/12/accounts')).body.data[0].id;
    const made = await world.other.call('POST', `/12/accounts/${theirs}/post`, { params: { text: 'Theirs' } });
    const id = made.body.data.id;
    assert.equal((await (await openFixture(world)).put(`posts/${id}/name`, { name: 'x' })).status, 404);
    assert.equal((await place.put(`posts/${id}/name`, { name: 'x' })).status, 404, 'only promoted, elsewhere');
    assert.deepEqual(errors(await place.put(`posts/${await place.post_()}/name`)), ['MISSING_PARAMETER name']);
  });
});
