// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Reply } from '../rig/client.ts';
import { addToLibrary, VIDEO } from '../rig/uploaded.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ({ path } = await openAccount(world.sandbox));
});
after(() => world.close());

type Json = Readonly<Record<string, unknown>>;

const send = (method: string, end: string, json?: Json): Promise<Reply> =>
  world.sandbox.call(method, `${path}/cards${end}`, json ? { json } : {});
const make = (json: Json) => send('POST', '', { name: 'Winter beans', ...json });

/** A card that was made; the answer is what is shown of it. */
async function made(json: Json): Promise<Json & { id: string }> {
  const reply = await make(json);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

const IMAGE = '3_1730012345678901248';
const OTHER = '3_1730012399990001664';
const FILM = '13_1730020011223344128';
const CLIP = '7_1730020011223344129';

const media = (media_key = IMAGE) => ({ type: 'MEDIA', media_key });
const swipe = (...media_keys: string[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys });
const site = { type: 'WEBSITE', url: 'https://lumen.example/kenya' };
const details = { type: 'DETAILS', title: 'Kenya', destination: site };
const app = { type: 'APP', country_code: 'CA', android_store_app_id: 'com.example.lumen' };
const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'ORDER' }, destination: app };
const pair = (first: object, second: object) => ({ components: [first, second] });

describe('the card type is derived from media and destination', () => {
  const slide = (key: string) => [media(key), details];
  const table: readonly (readonly [type: string, input: Json])[] = [
    ['IMAGE_WEBSITE', pair(media(), details)],
    ['VIDEO_WEBSITE', pair(media(FILM), details)],
    ['VIDEO_WEBSITE', pair(media(CLIP), details)],
    ['IMAGE_APP', pair(media(), button)],
    ['VIDEO_APP', pair(media(FILM), button)],
    ['IMAGE_CAROUSEL_WEBSITE', pair(swipe(IMAGE, OTHER), details)],
    ['VIDEO_CAROUSEL_WEBSITE', pair(swipe(FILM, CLIP), details)],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE', pair(swipe(IMAGE, FILM), details)],
    ['IMAGE_CAROUSEL_APP', pair(swipe(IMAGE, IMAGE), button)],
    ['VIDEO_CAROUSEL_APP', pair(swipe(FILM, FILM), button)],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP', pair(swipe(CLIP, IMAGE), button)],
    ['IMAGE_MULTI_DEST_CAROUSEL_WEBSITE', { slides: [slide(IMAGE), slide(OTHER)] }],
    ['VIDEO_MULTI_DEST_CAROUSEL_WEBSITE', { slides: [slide(FILM), slide(CLIP)] }],
    ['MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE', { slides: [slide(IMAGE), slide(FILM)] }],
  ];
  for (const [type, input] of table) {
    test(`${type}: ${JSON.stringify(input).slice(0, 90)}`, async () => {
      const card = await made(input);
      assert.equal(card.card_type, type);
      assert.equal(card.card_uri, `card://${card.id}`);
      assert.match(card.id, /^\d{19}$/);
      const [kept, absent] = 'slides' in input ? ['slides', 'components'] : ['components', 'slides'];
      assert.deepEqual(card[kept!], input[kept!]);
      assert.ok(!(absent! in card), `${absent} has no place in a card of ${kept}`);
      const found = await world.sandbox.call('GET', `${path}/cards`, { params: { card_types: type, count: 200 } });
      assert.ok(found.body.data.some(({ id }: { id: string }) => id === card.id));
      assert.ok(found.body.data.every((each: Json) => each.card_type === type));
    });
  }
});

describe('components are returned as sent', () => {
  test('in their order and member order, without unknown members', async () => {
    const sent: readonly Json[] = [
      {
        destination: { url: 'HTTP://lumen.example/%7E?a=b#c', colour: 'red', type: 'WEBSITE' },
        title: 'T',
        type: 'DETAILS',
      },
      { media_key: IMAGE, type: 'MEDIA', media_metadata: {}, constructor: 1 },
    ];
    const reply = await make({ components: sent });
    const kept =
      '[{"destination":{"url":"HTTP://lumen.example/%7E?a=b#c","type":"WEBSITE"},"title":"T","type":"DETAILS"},' +
      `{"media_key":"${IMAGE}","type":"MEDIA"}]`;
    assert.equal(JSON.stringify(reply.body.data.components), kept);
    assert.equal(JSON.stringify(reply.body.request.params.components), kept);
  });

  test('null and empty members count as missing', async () => {
    const { components } = await made({
      slides: null,
      ...pair(media(), { ...button, destination: { ...app, ios_store_identifier: '', ios_deep_link: null } }),
    });
    assert.deepEqual(components, [media(), button]);
  });

  test('title, links and labels have maximum lengths', async () => {
    const far = `https://lumen.example/${'x'.repeat(1978)}`;
    await made(pair(media(), { ...details, title: '\u{1f600}'.repeat(70), destination: { ...site, url: far } }));
    for (const value of ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP']) {
      await made(pair(swipe(...Array(6).fill(IMAGE)), { ...button, label: { type: 'ENUM', value } }));
    }
    const both = {
      ...app,
      ios_store_identifier: '1300000001',
      ios_deep_link: 'lumen://a',
      android_deep_link: 'lumen://b',
    };
    await made(pair(media(), { ...button, destination: both }));
    await made({ name: 'x'.repeat(80), slides: Array(6).fill([details, media()]) });
  });
});

const errorsOf = ({ body }: Reply): string[] =>
  body.errors.map((error: { code: string; parameter: string }) => `${error.code} ${error.parameter}`);

describe('uploaded media must meet the requirements', () => {
  const image = (id: string, width: number, height: number) => () => addToLibrary(world, path, id, { width, height });
  const film = (id: string, width: number, height: number) => () =>
    addToLibrary(world, path, id, { ...VIDEO, width, height });
  const table: readonly (readonly [input: string, media: () => Promise<string>, code?: string])[] = [
    ['an image of 1.91:1', image('101', 1200, 628)],
    ['an image of 1:1, as narrow as may be', image('102', 800, 800)],
    ['an image two hundredths off', image('103', 1000, 981)],
    ['an image too narrow', image('104', 799, 799), 'INVALID_IMAGE'],
    ['an image of 4:3', image('105', 1200, 900), 'INVALID_MEDIA'],
    ['a video of 16:9', film('106', 1920, 1080)],
    ['a video of 1:1, of any width', film('107', 480, 480)],
    ['a video of 9:16', film('108', 720, 1280), 'INVALID_MEDIA'],
    ['an image of 3 MB', () => addToLibrary(world, path, '109', { bytes: 3_145_728 })],
    ['an image of more', () => addToLibrary(world, path, '110', { bytes: 3_145_729 }), 'INVALID_IMAGE'],
  ];
  for (const [input, shelved, code] of table) {
    test(`${input}: ${code ?? 'taken'}`, async () => {
      const reply = await make(pair(media(await shelved()), details));
      if (code === undefined) return assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(errorsOf(reply), [`${code} components[0].media_key`]);
    });
  }

  test('processing, failed and removed media is rejected; cards that already use it stay', async () => {
    const key = await addToLibrary(world, path, '120');
    const card = await made(pair(media(key), details));
    await world.sandbox.call('DELETE', `${path}/media_library/${key}`);
    assert.deepEqual(errorsOf(await make(pair(media(key), details))), ['INVALID_MEDIA components[0].media_key']);
    const again = await send('PUT', `/${card.id}`, { name: 'Other', ...pair(media(key), details) });
    assert.equal(again.status, 200, again.text);
    const pending = await addToLibrary(world, path, '121', { state: 'pending' });
    assert.deepEqual(errorsOf(await make(pair(media(pending), details))), ['INVALID_MEDIA components[0].media_key']);
  });
});

describe('updating a card', () => {
  test('without changes keeps updated_at', async () => {
    const card = await made(pair(media(), details));
    world.clock.advance(60);
    assert.deepEqual((await send('PUT', `/${card.id}`, {})).body.data, card);
  });

  test('replaces the structure, also slides with components', async () => {
    const card = await made(pair(swipe(IMAGE, OTHER), button));
    world.clock.advance(60);
    const named = (await send('PUT', `/${card.id}`, { name: 'Spring' })).body.data;
    assert.deepEqual(named, { ...card, name: 'Spring', updated_at: named.updated_at });
    assert.notEqual(named.updated_at, card.updated_at);
    assert.deepEqual(errorsOf(await send('PUT', `/${card.id}`, { name: ' ' })), ['INVALID_PARAMETER name']);
    assert.deepEqual(errorsOf(await make({ ...pair(media(), details), name: ' ' })), ['INVALID_PARAMETER name']);
    const slides = [
      [media(FILM), details],
      [details, media(FILM)],
    ];
    const slid = (await send('PUT', `/${card.id}`, { slides })).body.data;
    assert.deepEqual([slid.slides, slid.components], [slides, undefined]);
    assert.equal(slid.card_type, 'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE');
    const back = (await send('PUT', `/${card.id}`, { ...pair(media(), button), slides: null })).body.data;
    assert.deepEqual([back.components, back.slides, back.card_type], [[media(), button], undefined, 'IMAGE_APP']);
    assert.deepEqual([back.id, back.card_uri, back.created_at], [card.id, card.card_uri, card.created_at]);
  });

  test('can reduce a carousel to one image without changing its type', async () => {
    const card = await made(pair(swipe(IMAGE, OTHER), details));
    const left = await send('PUT', `/${card.id}`, pair(swipe(OTHER), details));
    assert.deepEqual([left.status, left.body.data.card_type], [200, 'IMAGE_CAROUSEL_WEBSITE']);
    const none = await send('PUT', `/${card.id}`, pair({ type: 'SWIPEABLE_MEDIA', media_keys: [] }, details));
    assert.deepEqual(errorsOf(none), ['INVALID_PARAMETER components[0].media_keys']);
  });

  test('cannot remove both components and slides, nor set both', async () => {
    const card = await made(pair(media(), details));
    assert.deepEqual(errorsOf(await send('PUT', `/${card.id}`, { components: null })), [
      'MISSING_PARAMETER components',
    ]);
    const both = await send('PUT', `/${card.id}`, {
      ...pair(media(), details),
      slides: Array(2).fill([media(), details]),
    });
    assert.deepEqual(errorsOf(both), ['EXCLUSIVE_PARAMETERS components, slides']);
    assert.deepEqual((await send('GET', `/${card.id}`)).body.data, card);
  });
});

describe('the request body', () => {
  test('must be a JSON object', async () => {
    const { call } = world.sandbox;
    const form = await call('POST', `${path}/cards`, { params: { name: 'a' } });
    assert.deepEqual(form.body.errors, [
      { code: 'INVALID_PARAMETER', message: 'Content-Type must be application/json', parameter: 'Content-Type' },
    ]);
    for (const json of [[], 'x', null, 7]) {
      const reply = await call('POST', `${path}/cards`, { json });
      assert.deepEqual(reply.body.errors[0].message, 'Expected an object for the request body');
    }
    const query = await call('POST', `${path}/cards?name=a`, { json: pair(media(), details) });
    assert.deepEqual(errorsOf(query), ['MISSING_PARAMETER name']);
  });
});

describe('the list of cards', () => {
  test('accepts ids under both names, URIs, and at most 200 rows', async () => {
    const card = await made(pair(media(), details));
    const other = await made(pair(media(), details));
    const found = async (params: Record<string, string>) =>
      (await world.sandbox.call('GET', `${path}/cards`, { params })).body.data.map(({ id }: Json) => id);
    const same: [string, string][] = [
      ['card_id', card.id],
      ['card_ids', card.id],
      ['card_uris', String(card.card_uri)],
    ];
    for (const [name, value] of same) {
      assert.deepEqual(await found({ [name]: value }), [card.id]);
    }
    assert.deepEqual(await found({ card_id: `${card.id},${other.id}`, include_legacy_cards: 'true' }), [
      other.id,
      card.id,
    ]);
    for (const count of ['0', '201']) {
      const reply = await world.sandbox.call('GET', `${path}/cards`, { params: { count } });
      assert.equal(reply.body.errors[0].message, `Expected int between 1 and 200, got "${count}" for count`);
    }
  });

  test('returns 100 rows by default, without a total', async () => {
    const { path: fresh } = await openAccount(world.sandbox);
    for (let count = 0; count < 101; count++) {
      const json = { name: `Card ${count}`, ...pair(media(), details) };
      assert.equal((await world.sandbox.call('POST', `${fresh}/cards`, { json })).status, 200);
    }
    const page = await world.sandbox.call('GET', `${fresh}/cards`, { params: { with_total_count: true } });
    assert.deepEqual([page.body.data.length, 'total_count' in page.body], [100, false]);
    assert.equal(typeof page.body.next_cursor, 'string');
  });
});
