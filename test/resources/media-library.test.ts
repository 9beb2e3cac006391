import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { callsBelow, errorsOf, findUpload, insertUpload, productionPath, setUpload } from './media-calls.ts';

let world: World;
let production = '';
let sandbox = '';
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  production = await productionPath(world);
  sandbox = (await openAccount(world.sandbox)).path;
});
after(() => world.close());

const own = callsBelow(
  () => world.production,
  () => `${production}/media_library`,
);
const lenient = callsBelow(
  () => world.sandbox,
  () => `${sandbox}/media_library`,
);

describe('media in a library', () => {
  test('is returned with the properties of its upload and its URLs', async () => {
    const key = await insertUpload(world, 'AMPLIFY_VIDEO');
    const [, number] = key.split('_');
    const { file_name } = (await findUpload(world, key))!;
    const made = await own('POST', '', { media_key: key, name: 'Roastery tour', title: 'Inside the roastery' });
    const media = `${world.service.url}/media`;
    assert.deepEqual(made.body, {
      request: {
        params: {
          account_id: production.split('/').at(-1),
          media_key: key,
          name: 'Roastery tour',
          title: 'Inside the roastery',
        },
      },
      data: {
        media_key: key,
        media_category: 'AMPLIFY_VIDEO',
        media_type: 'VIDEO',
        media_status: 'TRANSCODE_COMPLETED',
        media_url: `${media}/amplify_video/${number}/vid/1280x720/${file_name}.mp4`,
        name: 'Roastery tour',
        file_name: null,
        title: 'Inside the roastery',
        description: null,
        duration: 28400,
        aspect_ratio: '16:9',
        poster_media_key: `3_${number}`,
        poster_media_url: `${media}/amplify_video_thumb/${number}/img/${file_name}.jpg`,
        posted: false,
        created_at: made.body.data.created_at,
        updated_at: made.body.data.created_at,
        deleted: false,
      },
    });
    assert.deepEqual((await own('GET', `/${key}`)).body.data, made.body.data);
  });

  const shapes: [category: 'POST_IMAGE' | 'POST_GIF' | 'POST_VIDEO', width: number, height: number, shown: object][] = [
    ['POST_IMAGE', 1200, 628, { media_type: 'IMAGE', duration: null, aspect_ratio: null, poster_media_key: null }],
    ['POST_GIF', 480, 270, { media_type: 'GIF', duration: null, aspect_ratio: '16:9' }],
    ['POST_VIDEO', 1080, 1920, { media_type: 'VIDEO', duration: 28400, aspect_ratio: '9:16' }],
    ['POST_VIDEO', 1910, 1000, { media_type: 'VIDEO', duration: 28400, aspect_ratio: '191:100' }],
    ['POST_VIDEO', 640, 640, { media_type: 'VIDEO', duration: 28400, aspect_ratio: '1:1' }],
  ];
  for (const [category, width, height, expected] of shapes) {
    test(`${category} of ${width} x ${height}`, async () => {
      const { data } = (await own('POST', '', { media_key: await insertUpload(world, category, { width, height }) }))
        .body;
      assert.deepEqual({ ...data, ...expected, media_category: category }, data);
      assert.equal(data.poster_media_url === null, category === 'POST_IMAGE');
      assert.match(data.media_url, category === 'POST_IMAGE' ? /\.jpg$/ : /\.mp4$/);
    });
  }

  test('follows the processing of its upload, and no longer expires', async () => {
    const facts = { width: null, height: null, duration_ms: null };
    const key = await insertUpload(world, 'POST_VIDEO', { state: 'pending', ...facts });
    const added = (await own('POST', '', { media_key: key })).body.data;
    assert.deepEqual([added.media_status, added.duration, added.aspect_ratio], ['TRANSCODE_PENDING', null, null]);
    assert.equal((await findUpload(world, key))!.expires_at, null);
    await setUpload(world, key, 'pending', { state: 'in_progress' });
    assert.equal((await own('GET', `/${key}`)).body.data.media_status, 'TRANSCODE_IN_PROGRESS');
    await setUpload(world, key, 'in_progress', { state: 'succeeded', width: 640, height: 360, duration_ms: 900 });
    const done = (await own('GET', `/${key}`)).body.data;
    assert.deepEqual([done.media_status, done.duration, done.aspect_ratio], ['TRANSCODE_COMPLETED', 900, '16:9']);
    const other = await insertUpload(world, 'POST_VIDEO', { state: 'in_progress' });
    await own('POST', '', { media_key: other });
    await setUpload(world, other, 'in_progress', { state: 'failed' });
    assert.equal((await own('GET', `/${other}`)).body.data.media_status, 'TRANSCODE_FAILED');
  });

  test('added again gets the new values, or none without values', async () => {
    const key = await insertUpload(world, 'POST_VIDEO');
    const first = (await own('POST', '', { media_key: key, name: 'One', title: 'Title' })).body.data;
    world.clock.advance(10);
    assert.deepEqual((await own('POST', '', { media_key: key })).body.data, first);
    const again = await own('POST', '', { media_key: key, name: 'Two', title: '' });
    assert.equal(again.status, 200, again.text);
    const { updated_at } = again.body.data;
    assert.deepEqual(again.body.data, { ...first, name: 'Two', title: null, updated_at });
    assert.notEqual(updated_at, first.updated_at);
    const found = await own('GET', '', { q: 'two' });
    assert.deepEqual(
      found.body.data.map((row: { media_key: string }) => row.media_key),
      [key],
    );
  });

  test('added by concurrent calls is stored once', async () => {
    const key = await insertUpload(world, 'AMPLIFY_VIDEO');
    const replies = await Promise.all(['a', 'b', 'c'].map((name) => own('POST', '', { media_key: key, name })));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    const media = callsBelow(
      () => world.production,
      () => production,
    );
    const made = (await media('GET', '/account_media')).body.data as { video_id: string }[];
    assert.equal(made.filter(({ video_id }) => video_id === key).length, 1);
  });

  test('can be identified by upload id and category, as older clients do', async () => {
    const key = await insertUpload(world, 'POST_GIF');
    const [, number] = key.split('_');
    const made = await own('POST', '', { media_key: number!, media_category: 'POST_GIF' });
    assert.equal(made.body.data.media_key, key);
    const whole = await own('POST', '', { media_key: key, media_category: 'POST_GIF' });
    assert.equal(whole.status, 200);
    assert.deepEqual(errorsOf(await own('POST', '', { media_key: number! })), [
      '400',
      'MISSING_PARAMETER media_category',
    ]);
    const other = { media_key: key, media_category: 'POST_IMAGE' };
    assert.deepEqual(errorsOf(await own('POST', '', other)), ['400', 'INVALID_MEDIA media_key']);
    const wrong = { media_key: number!, media_category: 'POST_VIDEO' };
    assert.deepEqual(errorsOf(await own('POST', '', wrong)), ['400', 'INVALID_MEDIA media_key']);
  });

  test('is deleted permanently, but stays in creatives that use it', async () => {
    const key = await insertUpload(world, 'POST_IMAGE');
    await own('POST', '', { media_key: key });
    const deleted = await own('DELETE', `/${key}`);
    assert.equal(deleted.body.data.deleted, true);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assert.deepEqual(errorsOf(await own(method, `/${key}`)), ['404', 'MEDIA_NOT_FOUND media_key']);
    }
    assert.deepEqual(errorsOf(await own('POST', '', { media_key: key })), ['400', 'INVALID_MEDIA media_key']);
    assert.equal((await findUpload(world, key))!.expires_at, null);
  });
});

describe('who may add media', () => {
  const someone = '99';
  const cases: [of: string, facts: () => object, status: number][] = [
    ['what the caller uploaded', () => ({}), 200],
    ['what was uploaded for the caller', () => ({ user_id: someone, additional_owners: [world.keys.user_id!] }), 200],
    ['what others uploaded', () => ({ user_id: someone, additional_owners: ['98'] }), 400],
  ];
  for (const [of, facts, status] of cases) {
    test(of, async () => {
      const key = await insertUpload(world, 'POST_IMAGE', facts());
      for (const add of [own, lenient]) assert.equal((await add('POST', '', { media_key: key })).status, status);
    });
  }

  test('creators may add uploads of the advertised user', async () => {
    const account = sandbox.split('/').at(-1)!;
    await world.service.store.write(async (tx) => {
      const user_id = world.keys.other_user_id!;
      await tx.accountMembers.add({ account_id: account, user_id, role: 'CREATIVE_MANAGER', post_composer: 0 });
      tx.invalidate(`account:${account}`);
    });
    const key = await insertUpload(world, 'POST_IMAGE');
    const reply = await world.other.call('POST', `${sandbox}/media_library`, { params: { media_key: key } });
    assert.equal(reply.status, 200, reply.text);
  });
});

describe('media that cannot be added', () => {
  const cases: [of: string, key: () => Promise<string>][] = [
    ['media that nobody uploaded', async () => '3_1730012345678901248'],
    ['an upload whose segments are missing', () => insertUpload(world, 'POST_VIDEO', { state: 'uploading' })],
    [
      'an upload under the prefix of another category',
      async () => `7_${(await insertUpload(world, 'POST_GIF')).slice(3)}`,
    ],
    ['the first frame of a video', async () => `3_${(await insertUpload(world, 'POST_VIDEO')).slice(2)}`],
  ];
  for (const [of, key] of cases) {
    test(of, async () => {
      const media_key = await key();
      const reply = await own('POST', '', { media_key });
      assert.equal(reply.status, 400, reply.text);
      const [error] = reply.body.errors;
      const kind = media_key.startsWith('7') ? 'PostVideo' : 'PostImage';
      const message = `Invalid media key: MediaKey(${kind},${media_key.slice(2)})`;
      assert.deepEqual(error, { code: 'INVALID_MEDIA', message, parameter: 'media_key', value: media_key });
    });
  }
});

describe('values of media', () => {
  test('are updated, cleared, and kept by a call without parameters', async () => {
    const key = await insertUpload(world, 'POST_VIDEO');
    const made = (await own('POST', '', { media_key: key, name: 'One', file_name: 'a.mp4', description: 'Long' })).body;
    world.clock.advance(10);
    assert.deepEqual((await own('PUT', `/${key}`)).body.data, made.data);
    const changed = (await own('PUT', `/${key}`, { name: '', file_name: 'b.mp4', title: 'T' })).body.data;
    const expected = { name: null, file_name: 'b.mp4', title: 'T', updated_at: changed.updated_at };
    assert.deepEqual(changed, { ...made.data, ...expected });
  });

  test('posters are library images, by default the first frame', async () => {
    const video = await insertUpload(world, 'POST_VIDEO');
    const frame = `3_${video.slice(2)}`;
    const image = await insertUpload(world, 'POST_IMAGE');
    await own('POST', '', { media_key: video });
    const put = (poster_media_key: string) => own('PUT', `/${video}`, { poster_media_key });
    assert.deepEqual(errorsOf(await put(image)), ['400', 'INVALID_MEDIA poster_media_key']);
    const { media_url } = (await own('POST', '', { media_key: image })).body.data;
    const { data } = (await put(image)).body;
    assert.deepEqual([data.poster_media_key, data.poster_media_url], [image, media_url]);
    await own('DELETE', `/${image}`);
    const renamed = await own('PUT', `/${video}`, { name: 'New' });
    assert.deepEqual([renamed.status, renamed.body.data.poster_media_key], [200, image]);
    assert.deepEqual(errorsOf(await put(video)), ['400', 'INVALID_MEDIA poster_media_key']);
    assert.equal((await put('')).body.data.poster_media_key, frame);
    assert.equal((await put(frame)).body.data.poster_media_key, frame);
    const other = await insertUpload(world, 'POST_GIF');
    await own('POST', '', { media_key: other, poster_media_key: frame });
    const borrowed = (await own('GET', `/${other}`)).body.data;
    assert.match(borrowed.poster_media_url, new RegExp(`/post_video_thumb/${video.slice(2)}/`));
  });

  test('a poster is an available image: neither a video nor the first frame of a processing one', async () => {
    const pending = await insertUpload(world, 'POST_VIDEO', { state: 'in_progress' });
    await own('POST', '', { media_key: pending });
    const key = await insertUpload(world, 'POST_GIF');
    for (const poster_media_key of [`3_${pending.slice(2)}`, pending, '3_9', '16_9']) {
      const refused = ['400', 'INVALID_MEDIA poster_media_key'];
      assert.deepEqual(errorsOf(await own('POST', '', { media_key: key, poster_media_key })), refused);
      await own('POST', '', { media_key: key });
      assert.deepEqual(errorsOf(await own('PUT', `/${key}`, { poster_media_key })), refused);
    }
    await setUpload(world, pending, 'in_progress', { state: 'succeeded' });
    const { data } = (await own('PUT', `/${key}`, { poster_media_key: `3_${pending.slice(2)}` })).body;
    assert.match(data.poster_media_url, new RegExp(`/post_video_thumb/${pending.slice(2)}/`));
    const video = await own('POST', '', {
      media_key: await insertUpload(world, 'POST_GIF'),
      poster_media_key: pending,
    });
    assert.equal(video.body.errors[0].message, 'Expected media of type IMAGE, got VIDEO for poster_media_key');
  });

  test('title, description and poster are for videos and GIFs only', async () => {
    const image = await insertUpload(world, 'POST_IMAGE');
    const values = { title: 'A', description: 'B', poster_media_key: '3_1' };
    const refused = ['400', ...Object.keys(values).map((name) => `INVALID_PARAMETER ${name}`)];
    assert.deepEqual(errorsOf(await own('POST', '', { media_key: image, ...values })), refused);
    await own('POST', '', { media_key: image, title: '' });
    assert.deepEqual(errorsOf(await own('PUT', `/${image}`, values)), refused);
    assert.equal((await own('PUT', `/${image}`, { title: '', name: 'Kept' })).body.data.name, 'Kept');
    const gif = await insertUpload(world, 'POST_GIF');
    assert.equal((await own('POST', '', { media_key: gif, title: 'A', description: 'B' })).body.data.title, 'A');
  });
});

describe('lists of media', () => {
  let path = '';
  const list = callsBelow(
    () => world.sandbox,
    () => path,
  );
  const names = async (params: Record<string, string | number>) => {
    const reply = await list('GET', '', params);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.map((row: { name: string }) => row.name);
  };
  before(async () => {
    path = `${(await openAccount(world.sandbox)).path}/media_library`;
    const made: Record<string, string>[] = [
      { media_key: '7_1', name: 'Roastery tour', title: 'Inside', file_name: 'IMG_0042.MOV' },
      { media_key: '16_2', name: 'Steam', description: 'A cup, from inside the Roastery' },
      { media_key: '3_3', name: 'Äpfel', file_name: 'fall.jpg' },
      { media_key: '3_4', name: 'gone', file_name: 'fall.jpg' },
      { media_key: '13_5', name: '100% arabica' },
    ];
    for (const params of made) {
      world.clock.advance(1);
      assert.equal((await list('POST', '', params)).status, 200);
    }
    await list('DELETE', '/3_4');
  });

  const found: [params: Record<string, string | number>, names: string[]][] = [
    [{}, ['100% arabica', 'Äpfel', 'Steam', 'Roastery tour']],
    [{ with_deleted: 'true', sort_by: 'name-asc' }, ['100% arabica', 'Äpfel', 'Steam', 'Roastery tour']],
    [{ media_type: 'VIDEO' }, ['100% arabica', 'Roastery tour']],
    [{ media_type: 'GIF,IMAGE' }, ['Äpfel', 'Steam']],
    [{ q: 'roastery' }, ['Steam', 'Roastery tour']],
    [{ q: 'INSIDE Roastery' }, ['Steam', 'Roastery tour']],
    [{ q: 'tour roastery' }, ['Roastery tour']],
    [{ q: 'roast' }, []],
    [{ q: '0042' }, ['Roastery tour']],
    [{ q: 'mov img' }, ['Roastery tour']],
    [{ q: 'a\u0308PFEL' }, ['Äpfel']],
    [{ q: 'fall.jpg' }, ['Äpfel']],
    [{ q: '100' }, ['100% arabica']],
    [{ q: '%' }, []],
    [{ q: '_' }, []],
    [{ q: 'inside', media_type: 'GIF' }, ['Steam']],
  ];
  for (const [params, expected] of found) {
    test(JSON.stringify(params), async () => assert.deepEqual(await names(params), expected));
  }

  test('q has 1 to 255 characters', async () => {
    assert.deepEqual(await names({ q: 'x '.repeat(127) }), []);
    for (const q of ['', 'x'.repeat(256)]) {
      assert.deepEqual(errorsOf(await list('GET', '', { q })), ['400', 'INVALID_PARAMETER q']);
    }
  });

  test('have 20 rows per page, at most 50, and searches page too', async () => {
    const many = `${(await openAccount(world.sandbox)).path}/media_library`;
    for (let index = 10; index < 35; index++) {
      world.clock.advance(1);
      await world.sandbox.call('POST', many, { params: { media_key: `3_${index}`, name: `Cup ${index % 2}` } });
    }
    const page = async (params: Record<string, string | number>) =>
      (await world.sandbox.call('GET', many, { params })).body;
    const first = await page({});
    assert.equal(first.data.length, 20);
    const { data, next_cursor } = await page({ cursor: first.next_cursor });
    assert.deepEqual([data.length, next_cursor, data.at(-1).media_key], [5, null, '3_10']);
    const odd = await page({ q: 'cup 1', count: 10 });
    const rest = await page({ q: 'cup 1', count: 10, cursor: odd.next_cursor });
    assert.deepEqual([odd.data.length, rest.data.length], [10, 2]);
    assert.deepEqual(errorsOf(await world.sandbox.call('GET', many, { params: { count: 51 } })), [
      '400',
      'INVALID_PARAMETER count',
    ]);
  });
});

describe('media keys without an upload', () => {
  const cases: [key: string, shown: object][] = [
    ['3_777', { media_category: 'POST_IMAGE', media_type: 'IMAGE', aspect_ratio: null, poster_media_key: null }],
    ['7_778', { media_category: 'POST_VIDEO', media_type: 'VIDEO', aspect_ratio: '16:9', poster_media_key: '3_778' }],
    ['13_779', { media_category: 'AMPLIFY_VIDEO', media_type: 'VIDEO', aspect_ratio: '16:9' }],
    ['16_780', { media_category: 'POST_GIF', media_type: 'GIF', aspect_ratio: '16:9', duration: null }],
  ];
  for (const [key, expected] of cases) {
    test(`${key} is accepted in the sandbox`, async () => {
      const { data } = (await lenient('POST', '', { media_key: key })).body;
      assert.deepEqual({ ...data, ...expected, media_status: 'TRANSCODE_COMPLETED' }, data);
    });
  }

  test('are accepted as each environment is configured', async () => {
    const flags = { rate_limits: 'off', media_keys_production: 'lenient', media_keys_sandbox: 'strict' };
    const other = await openWorld({ flags });
    try {
      const params = { media_key: '3_777' };
      const free = await other.production.call('POST', `${await productionPath(other)}/media_library`, { params });
      assert.equal(free.status, 200, free.text);
      const { path } = await openAccount(other.sandbox);
      const strict = await other.sandbox.call('POST', `${path}/media_library`, { params });
      assert.deepEqual(errorsOf(strict), ['400', 'INVALID_MEDIA media_key']);
    } finally {
      await other.close();
    }
  });
});
