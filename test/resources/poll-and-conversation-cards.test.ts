// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { findCard } from '../../src/features/ads/cards/find-card.ts';
import type { Reply } from '../rig/client.ts';
import { addToLibrary, VIDEO } from '../rig/uploaded.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
let account: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ({ path, account } = await openAccount(world.sandbox));
});
after(() => world.close());

type Params = Readonly<Record<string, string | number>>;

const send = (method: string, end: string, params: Params = {}): Promise<Reply> =>
  world.sandbox.call(method, `${path}/cards${end}`, { params });
const errorsOf = ({ body }: Reply): string[] =>
  body.errors.map((error: { code: string; parameter: string }) => `${error.code} ${error.parameter}`);

async function made(end: string, params: Params): Promise<Record<string, string>> {
  const reply = await send('POST', end, params);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

const POLL = { name: 'Roast vote', first_choice: 'Light', second_choice: 'Dark', duration_in_minutes: 1440 };
const TALK = {
  name: 'Brew talk',
  title: 'Pick a side',
  first_cta: '#TeamFilter',
  first_cta_post: 'Filter all day',
  thank_you_text: 'Enjoy your cup',
};
const FILM = '13_1730020011223344128';
const IMAGE = '3_1730012345678901248';

describe('a poll', () => {
  test('without media has no media fields, returns numbers as strings, and echoes them as numbers', async () => {
    const reply = await send('POST', '/poll', POLL);
    const [, id] = path.split('/accounts/');
    assert.deepEqual(reply.body.request.params, { account_id: id, ...POLL });
    const { id: own, card_uri, ...shown } = reply.body.data;
    assert.match(own, /^[0-9a-z]{5}$/);
    assert.match(card_uri, /^card:\/\/\d{19}$/);
    const now = formatInstant(world.clock.now());
    assert.deepEqual(shown, {
      name: 'Roast vote',
      card_type: 'TEXT_POLLS',
      first_choice: 'Light',
      second_choice: 'Dark',
      third_choice: null,
      fourth_choice: null,
      duration_in_minutes: '1440',
      start_time: now,
      end_time: formatInstant(world.clock.now() + 86_400_000),
      created_at: now,
      updated_at: now,
      deleted: false,
    });
  });

  test('with media requires the account feature', async () => {
    assert.deepEqual(errorsOf(await send('POST', '/poll', { ...POLL, media_key: IMAGE })), [
      'FEATURE_NOT_AVAILABLE media_key',
    ]);
    await world.sandbox.call('POST', `${path}/features`, { params: { feature_keys: 'PROMOTED_MEDIA_POLLS' } });
    assert.equal((await send('POST', '/poll', { ...POLL, media_key: IMAGE })).status, 200);
  });

  test('with image or video returns URLs, but no media keys', async () => {
    const image = await made('/poll', { ...POLL, media_key: await addToLibrary(world, path, '201') });
    const film = await made('/poll', { ...POLL, media_key: await addToLibrary(world, path, '202', VIDEO) });
    const base = `${world.service.url}/media`;
    assert.deepEqual(
      [image.card_type, image.image_display_width, image.image_display_height, image.media_key],
      ['IMAGE_POLLS', '1200', '628', undefined],
    );
    assert.ok(!Object.keys(image).some((name) => name.startsWith('video')));
    const { card_type, video_url, video_width, video_height, video_poster_width, content_duration_seconds } = film;
    assert.deepEqual(
      [card_type, video_width, video_height, video_poster_width, content_duration_seconds],
      ['VIDEO_POLLS', '16', '9', '16', '28'],
    );
    assert.ok(video_url!.endsWith('/amplify_video/vmap/202.vmap'), `${video_url} below ${base}`);
    assert.match(film.video_hls_url!, /\/amplify_video\/202\/pl\/\w+\.m3u8$/);
    assert.match(film.video_poster_url!, /\/amplify_video_thumb\/202\/img\/\w+\.jpg$/);
    assert.ok(!('media_url' in film || 'media_key' in film));
  });

  const table: readonly (readonly [input: string, params: Params, then: string[]])[] = [
    ['a fourth choice without a third', { fourth_choice: 'x' }, ['INCLUSIVE_PARAMETERS third_choice']],
    ['an empty second choice', { second_choice: '' }, ['MISSING_PARAMETER second_choice']],
    ['a choice of 26', { third_choice: 'x'.repeat(26) }, ['INVALID_PARAMETER third_choice']],
    ['4 minutes', { duration_in_minutes: 4 }, ['INVALID_PARAMETER duration_in_minutes']],
    ['more than a week', { duration_in_minutes: 10_081 }, ['INVALID_PARAMETER duration_in_minutes']],
    ['an animation', { media_key: '16_5' }, ['INVALID_MEDIA media_key']],
    ['a malformed key', { media_key: '3-5' }, ['INVALID_MEDIA_ID media_key']],
    [
      'several at once',
      { fourth_choice: 'x', duration_in_minutes: 1, media_key: 'x' },
      ['INVALID_PARAMETER duration_in_minutes', 'INVALID_MEDIA_ID media_key', 'INCLUSIVE_PARAMETERS third_choice'],
    ],
  ];
  for (const [input, params, then] of table) {
    test(`${input}: ${then.join(', ')}`, async () => {
      assert.deepEqual(errorsOf(await send('POST', '/poll', { ...POLL, ...params })), then);
    });
  }

  test('accepts choices of 25 characters in any script, and duplicates', async () => {
    const choice = '\u{1f600}'.repeat(25);
    const card = await made('/poll', { ...POLL, first_choice: choice, second_choice: choice, third_choice: 'a' });
    assert.deepEqual([card.first_choice, card.second_choice, card.third_choice], [choice, choice, 'a']);
  });

  test('uploaded media of another aspect ratio is rejected', async () => {
    const square = await addToLibrary(world, path, '203', { width: 900, height: 900 });
    const tall = await addToLibrary(world, path, '204', { ...VIDEO, width: 720, height: 1280 });
    for (const media_key of [square, tall]) {
      assert.deepEqual(errorsOf(await send('POST', '/poll', { ...POLL, media_key })), ['INVALID_MEDIA media_key']);
    }
  });

  test('closes at its end time, and can still be read and deleted', async () => {
    const { id, card_uri } = await made('/poll', { ...POLL, duration_in_minutes: 5 });
    const known = await world.service.store.read((tx) => findCard(tx, account, card_uri!));
    const isClosed = () => known!.isClosed(formatInstant(world.clock.now()));
    world.clock.advance(299);
    assert.equal(isClosed(), false);
    world.clock.advance(1);
    assert.equal(isClosed(), true);
    assert.equal((await send('GET', `/poll/${id}`)).status, 200);
    assert.equal((await send('DELETE', `/poll/${id}`)).status, 200);
  });

  test('cannot be updated', async () => {
    const { id } = await made('/poll', POLL);
    const reply = await send('PUT', `/poll/${id}`, { name: 'Other' });
    assert.deepEqual([reply.status, reply.body.errors[0].code], [405, 'METHOD_NOT_ALLOWED']);
  });

  test('returns a few members when deleted, and then 404', async () => {
    const { id, created_at } = await made('/poll', POLL);
    world.clock.advance(60);
    const gone = await send('DELETE', `/poll/${id}`);
    const updated_at = formatInstant(world.clock.now());
    const left = { id, name: 'Roast vote', card_type: 'TEXT_POLLS', start_time: created_at, created_at, updated_at };
    assert.deepEqual(gone.body.data, { ...left, deleted: true });
    assert.deepEqual(gone.body.request.params, { account_id: account, card_type: 'poll', card_id: id });
  });
});

for (const [family, media_key] of [
  ['video_conversation', FILM],
  ['image_conversation', IMAGE],
] as const) {
  const talk = { ...TALK, media_key };
  const end = `/${family}`;

  describe(`a ${family} card`, () => {
    const table: readonly (readonly [input: string, params: Params, then: string[]])[] = [
      ['neither title nor second hashtag', { title: '' }, ['MISSING_PARAMETER title']],
      ['a hashtag without a post', { second_cta: 'A' }, ['INCLUSIVE_PARAMETERS second_cta_post']],
      ['a post without a hashtag', { second_cta_post: 'A' }, ['INCLUSIVE_PARAMETERS second_cta']],
      ['a third without a second', { third_cta: 'A', third_cta_post: 'A' }, ['INCLUSIVE_PARAMETERS second_cta']],
      [
        'a fourth hashtag alone',
        { fourth_cta: 'A' },
        ['INCLUSIVE_PARAMETERS fourth_cta_post', 'INCLUSIVE_PARAMETERS third_cta'],
      ],
      ['a hashtag of 21', { first_cta: 'x'.repeat(21) }, ['INVALID_PARAMETER first_cta']],
      ['a hashtag with a space', { first_cta: '#a b' }, ['INVALID_PARAMETER first_cta']],
      ['a post of 281', { first_cta_post: 'x'.repeat(281) }, ['INVALID_PARAMETER first_cta_post']],
      ['a title of 24', { title: 'x'.repeat(24) }, ['INVALID_PARAMETER title']],
      ['thanks of 24', { thank_you_text: 'x'.repeat(24) }, ['INVALID_PARAMETER thank_you_text']],
      ['no page of the web', { thank_you_url: 'lumen://a' }, ['INVALID_PARAMETER thank_you_url']],
      ['media of the other kind', { media_key: media_key === FILM ? IMAGE : FILM }, ['INVALID_MEDIA media_key']],
      [
        'an unlocked video for an image',
        { unlocked_image_media_key: FILM },
        ['INVALID_MEDIA unlocked_image_media_key'],
      ],
    ];
    for (const [input, params, then] of table) {
      test(`${input}: ${then.join(', ')}`, async () => {
        assert.deepEqual(errorsOf(await send('POST', end, { ...talk, ...params })), then);
      });
    }

    test('adds a missing # to hashtags of any script', async () => {
      const second = { second_cta: '淹れたて_1', second_cta_post: 'b' };
      const card = await made(end, { ...talk, title: '', first_cta: 'x'.repeat(20), ...second });
      assert.deepEqual([card.first_cta, card.second_cta, card.title], [`#${'x'.repeat(20)}`, '#淹れたて_1', null]);
    });

    test('is validated after merging an update; empty values clear optional fields', async () => {
      const { id, ...before } = await made(end, { ...talk, thank_you_url: 'https://lumen.example/' });
      const put = (params: Params) => send('PUT', `${end}/${id}`, params);
      assert.deepEqual(errorsOf(await put({ title: '' })), ['MISSING_PARAMETER title']);
      assert.deepEqual(errorsOf(await put({ second_cta: 'B' })), ['INCLUSIVE_PARAMETERS second_cta_post']);
      const more = await put({ title: '', second_cta: 'B', second_cta_post: 'b', thank_you_url: '' });
      assert.deepEqual(more.body.request.params.card_type, family.toUpperCase());
      assert.deepEqual(more.body.data, {
        ...before,
        id,
        title: null,
        second_cta: '#B',
        second_cta_post: 'b',
        thank_you_url: null,
        updated_at: more.body.data.updated_at,
      });
      assert.deepEqual(errorsOf(await put({ second_cta: '' })), [
        'INCLUSIVE_PARAMETERS second_cta',
        'MISSING_PARAMETER title',
      ]);
    });

    test('returns a few members when deleted, and then 404', async () => {
      const { id, created_at } = await made(end, talk);
      const gone = await send('DELETE', `${end}/${id}`);
      const { updated_at } = gone.body.data;
      const card_type = family.toUpperCase();
      assert.deepEqual(gone.body.data, { id, name: 'Brew talk', card_type, created_at, updated_at, deleted: true });
      assert.deepEqual(gone.body.request.params, { account_id: account, card_type: family, card_id: id });
      assert.equal((await send('GET', `${end}/${id}`, { with_deleted: 'true' })).status, 404);
    });
  });
}

describe('the media of conversation cards', () => {
  test('of a video: VMAP, aspect ratio, poster and owner', async () => {
    const media_key = await addToLibrary(world, path, '301', VIDEO);
    const poster_media_key = await addToLibrary(world, path, '302');
    const card = await made('/video_conversation', { ...TALK, media_key });
    assert.match(card.media_url!, /\/amplify_video\/vmap\/301\.vmap$/);
    assert.match(card.poster_media_url!, /\/amplify_video_thumb\/301\/img\/\w+\.jpg$/);
    assert.deepEqual(
      [card.video_width, card.video_height, card.video_owner_id, card.poster_media_key, card.card_type],
      ['16', '9', world.keys.user_id, null, 'VIDEO_CONVERSATION'],
    );
    const changed = await send('PUT', `/video_conversation/${card.id}`, { poster_media_key });
    assert.match(changed.body.data.poster_media_url, /\/media\/\w+\.jpg$/);
  });

  test('of an image: URL and size', async () => {
    const card = await made('/image_conversation', { ...TALK, media_key: await addToLibrary(world, path, '303') });
    assert.match(card.media_url!, /\/media\/\w+\.jpg$/);
    assert.deepEqual([card.image_display_width, card.image_display_height], ['1200', '628']);
    assert.ok(!('poster_media_key' in card || 'cover_image_url' in card));
  });

  test('unlocked media is returned as URLs', async () => {
    const unlocked_image_media_key = await addToLibrary(world, path, '304', { width: 1500, height: 600 });
    const unlocked_video_media_key = await addToLibrary(world, path, '305', { ...VIDEO, width: 480, height: 480 });
    const unlocked = { unlocked_image_media_key, unlocked_video_media_key };
    const card = await made('/video_conversation', { ...TALK, media_key: FILM, ...unlocked });
    assert.deepEqual(
      [card.cover_image_display_width, card.cover_image_display_height, card.unlocked_image_media_key],
      ['1500', '600', undefined],
    );
    assert.deepEqual(
      [card.cover_video_content_id, card.cover_video_width, card.cover_video_height, card.unlocked_video_media_key],
      ['305', '1', '1', unlocked_video_media_key],
    );
    const ignored = await made('/image_conversation', {
      ...TALK,
      media_key: IMAGE,
      ...unlocked,
      poster_media_key: IMAGE,
    });
    assert.ok('cover_image_url' in ignored && !('cover_video_url' in ignored) && !('poster_media_url' in ignored));
  });

  test('of another aspect ratio is rejected when uploaded', async () => {
    const square = await addToLibrary(world, path, '306', { width: 900, height: 900 });
    const wide = { ...TALK, media_key: IMAGE, unlocked_image_media_key: await addToLibrary(world, path, '307') };
    assert.deepEqual(errorsOf(await send('POST', '/image_conversation', { ...TALK, media_key: square })), [
      'INVALID_MEDIA media_key',
    ]);
    assert.deepEqual(errorsOf(await send('POST', '/image_conversation', wide)), [
      'INVALID_MEDIA unlocked_image_media_key',
    ]);
  });
});

describe('cards of all formats', () => {
  test('by URI, newest first, without deleted and component-based cards', async () => {
    const poll = await made('/poll', POLL);
    world.clock.advance(1);
    const film = await made('/video_conversation', { ...TALK, media_key: FILM });
    const image = await made('/image_conversation', { ...TALK, media_key: IMAGE });
    const json = { name: 'a', components: [{ type: 'MEDIA', media_key: IMAGE }, DETAILS] };
    const built = (await world.sandbox.call('POST', `${path}/cards`, { json })).body.data;
    const uris = [poll, film, image, built].map(({ card_uri }) => card_uri);
    const list = async () => (await send('GET', '/all', { card_uris: uris.join(',') })).body;
    assert.deepEqual(await list(), {
      request: { params: { account_id: account, card_uris: uris } },
      next_cursor: null,
      data: [image, film, poll],
    });
    await send('DELETE', `/video_conversation/${film.id}`);
    assert.deepEqual((await list()).data, [image, poll]);
  });

  test('by id', async () => {
    const poll = await made('/poll', POLL);
    assert.deepEqual((await send('GET', `/all/${poll.id}`)).body.data, poll);
    await send('DELETE', `/poll/${poll.id}`);
    const gone = await send('GET', `/all/${poll.id}`, { with_deleted: 'true' });
    assert.deepEqual([gone.status, gone.body.errors[0].code], [404, 'CARD_NOT_FOUND']);
  });

  test('requires URIs', async () => {
    assert.deepEqual(errorsOf(await send('GET', '/all')), ['MISSING_PARAMETER card_uris']);
  });
});

const DETAILS = { type: 'DETAILS', title: 'Kenya', destination: { type: 'WEBSITE', url: 'https://lumen.example/' } };

describe('resolving the card of a post', () => {
  const known = (uri: string) => world.service.store.read((tx) => findCard(tx, account, uri));
  const appButton = {
    type: 'BUTTON',
    label: { type: 'ENUM', value: 'OPEN' },
    destination: { type: 'APP', country_code: 'CA', ios_store_identifier: '1' },
  };

  test('finds destinations and media', async () => {
    for (const [second, media_key, facts] of [
      [DETAILS, IMAGE, [false, true, false]],
      [appButton, FILM, [true, false, true]],
    ] as const) {
      const json = { name: 'a', components: [{ type: 'MEDIA', media_key }, second] };
      const { card_uri, id } = (await world.sandbox.call('POST', `${path}/cards`, { json })).body.data;
      const card = (await known(card_uri))!;
      assert.deepEqual([card.hasApp, card.hasWebsite, card.hasVideo], facts);
      await world.sandbox.call('DELETE', `${path}/cards/${id}`);
      assert.equal(await known(card_uri), undefined);
    }
    const poll = await made('/poll', { ...POLL, media_key: FILM });
    assert.deepEqual([(await known(poll.card_uri!))!.format, (await known(poll.card_uri!))!.hasVideo], ['poll', true]);
  });

  test('finds nothing for malformed URIs and cards of other accounts', async () => {
    const { card_uri } = await made('/poll', POLL);
    const other = await openAccount(world.sandbox);
    assert.equal(await world.service.store.read((tx) => findCard(tx, other.account, card_uri!)), undefined);
    for (const uri of ['card://', 'card://1', 'https://a.example', '']) assert.equal(await known(uri), undefined);
  });
});
