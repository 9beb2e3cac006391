import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { clientOf } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { GIF, JPEG, MOV, MP4, WEBM, WEBP } from '../rig/tiny-media.ts';
import { command, partsOf, UPLOAD, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PICTURE = placeholderImage(30, 20);
const DAY_S = 86_400;

let world: World;
before(async () => {
  world = await openWorld({ flags: { media_segment_bytes_max: 5000, media_image_bytes_max: 6000 } });
});
after(() => world.close());

const begin = async (media_type: string, total_bytes: number, more = {}): Promise<string> => {
  const begun = await command(world.sandbox, 'INIT', { media_type, total_bytes, ...more });
  assert.equal(begun.status, 202, begun.text);
  return begun.body.media_id_string;
};
const append = (media_id: string, segment_index: number, media: Buffer) =>
  command(world.sandbox, 'APPEND', { media_id, segment_index, media });
const refused = (request: string, error: string) => ({ request, error });

describe('INIT', () => {
  const good: [input: Record<string, string | number>, prefix: number, expires: number][] = [
    [{ media_type: 'image/jpeg' }, 3, DAY_S],
    [{ media_type: 'IMAGE/PJPEG; q=1', media_category: 'POST_IMAGE' }, 3, DAY_S],
    [{ media_type: 'image/gif' }, 16, DAY_S],
    [{ media_type: 'image/gif', media_category: 'post_image' }, 3, DAY_S],
    [{ media_type: 'video/mp2t' }, 7, DAY_S],
    [{ media_type: 'video/quicktime', media_category: 'amplify_video', additional_owners: '12,13' }, 13, 1_295_999],
  ];
  for (const [input, prefix, expires] of good) {
    test(`${JSON.stringify(input)} begins ${prefix}_`, async () => {
      const reply = await command(world.sandbox, 'INIT', { total_bytes: 10, ...input });
      assert.equal(reply.status, 202, reply.text);
      const id = reply.body.media_id_string;
      assert.match(id, /^\d{19}$/);
      const said = `{"media_id":${id},"media_id_string":"${id}","media_key":"${prefix}_${id}","expires_after_secs":${expires}}`;
      assert.equal(reply.text, said);
      assert.equal(reply.headers.get('x-rate-limit-limit'), '450');
    });
  }

  const bad: [input: Record<string, string | number>, error: string][] = [
    [{ media_type: 'image/svg+xml' }, 'media type unrecognized.'],
    [{ media_type: 'text/html' }, 'media type unrecognized.'],
    [{ media_type: 'image/png', media_category: 'post_gif' }, 'post_gif does not take image/png.'],
    [{ media_type: 'video/webm', media_category: 'amplify_video' }, 'amplify_video does not take video/webm.'],
    [{ media_type: 'image/png', total_bytes: 6001 }, 'post_image takes at most 6000 bytes, got 6001.'],
    [
      { media_type: 'image/png', media_category: 'post_gif', total_bytes: 15_728_641 },
      'post_gif does not take image/png.; post_gif takes at most 15728640 bytes, got 15728641.',
    ],
    [{ media_type: 'video/mp4', total_bytes: 536_870_913 }, 'post_video takes at most 536870912 bytes, got 536870913.'],
    [{ media_type: 'video/mp4', total_bytes: 0 }, 'Expected int between 1 and 4294967296, got "0" for total_bytes'],
    [{}, 'media_type parameter is missing.'],
    [{ total_bytes: '' }, 'total_bytes parameter is missing.; media_type parameter is missing.'],
    [
      { media_type: 'image/png', media_category: 'poster' },
      'Expected a value in amplify_video, post_gif, post_image, post_video, got "poster" for media_category',
    ],
    [{ media_type: `image/${'x'.repeat(100)}` }, 'Expected a maximum length of 100, got 106 for media_type'],
    [{ media_type: 'image/\u0000' }, 'Illegal characters in media_type'],
    [
      { media_type: 'image/png', additional_owners: ',' },
      'A minimum of 1 items must be provided for additional_owners',
    ],
    [{ media_type: 'image/png', additional_owners: 'me' }, 'Expected Long, got "me" for additional_owners'],
  ];
  for (const [input, error] of bad) {
    test(`${JSON.stringify(input)} is refused: ${error}`, async () => {
      const reply = await command(world.sandbox, 'INIT', { total_bytes: 10, ...input });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body, refused(UPLOAD, error));
    });
  }

  test('with 101 owners is refused, and with lower-case commands', async () => {
    const owners = Array.from({ length: 101 }, (_, index) => index + 1).join();
    const many = await command(world.sandbox, 'INIT', {
      total_bytes: 1,
      media_type: 'image/png',
      additional_owners: owners,
    });
    assert.equal(many.status, 400, many.text);
    const small = await command(world.sandbox, 'init', { total_bytes: 1, media_type: 'image/png' });
    assert.deepEqual(small.body, refused(UPLOAD, 'Expected a value in APPEND, FINALIZE, INIT, got "init" for command'));
  });
});

describe('JSON values and repeated parameters', () => {
  test('are reported in one message', async () => {
    const json = await world.sandbox.call('POST', UPLOAD, {
      json: { command: 'INIT', media_type: {}, total_bytes: 1 },
    });
    assert.deepEqual([json.status, json.body], [400, refused(UPLOAD, 'Expected text for media_type')]);
    const twice = await world.sandbox.call('POST', `${UPLOAD}?command=INIT&command=INIT`);
    assert.deepEqual([twice.status, twice.body], [400, refused(UPLOAD, 'Expected one value, got 2 for command')]);
  });

  for (const [level, application, message] of [
    ['read', 'read-write', 'Application cannot perform write actions.'],
    ['read', 'read', 'Application cannot perform write actions.'],
  ] as const) {
    test(`so is nothing that a token of level ${level} of an application of level ${application} sends`, async () => {
      const keys = await register(world, { tokenLevel: level, applicationLevel: application });
      const reply = await clientOf(world.service.sandboxUrl, keys, world.clock).call('POST', UPLOAD);
      assert.deepEqual([reply.status, reply.body.errors], [403, [{ code: 261, message }]]);
    });
  }
});

describe('APPEND', () => {
  test('accepts segments in any order, repeated, and as base64 in multipart or form bodies', async () => {
    const id = await begin('image/png', PICTURE.length);
    const cut = [PICTURE.subarray(0, 20), PICTURE.subarray(20, 41), PICTURE.subarray(41)] as const;
    assert.equal((await append(id, 7, cut[2])).status, 204);
    assert.equal((await append(id, 3, Buffer.alloc(25))).status, 204);
    const asText = cut[1].toString('base64').replace(/(.{5})/g, '$1\r\n');
    const parts = partsOf({ command: 'APPEND', media_id: id, segment_index: 3, media_data: asText });
    const inParts = await world.sandbox.call('POST', UPLOAD, { parts });
    assert.equal(inParts.status, 204, inParts.text);
    const form = { command: 'APPEND', media_id: id, segment_index: 0, media_data: cut[0].toString('base64url') };
    const inForm = await world.sandbox.call('POST', UPLOAD, { params: form });
    assert.equal(inForm.status, 204, inForm.text);
    assert.equal(inForm.headers.get('content-type'), null);
    const ended = await command(world.sandbox, 'FINALIZE', { media_id: id });
    assert.deepEqual(ended.body.image, { image_type: 'image/png', w: 30, h: 20 }, ended.text);
  });

  test('accepts the file before parameters, and signed query parameters', async () => {
    const id = await begin('image/png', PICTURE.length);
    const first = partsOf({ media: PICTURE, segment_index: 0, media_id: id, command: 'APPEND' });
    assert.equal((await world.sandbox.call('POST', UPLOAD, { parts: first })).status, 204);
    const params = { command: 'APPEND', media_id: id, segment_index: 0 };
    const signed = await world.sandbox.call('POST', UPLOAD, { params, parts: partsOf({ media: PICTURE }) });
    assert.equal(signed.status, 204, signed.text);
  });

  const bad: [what: string, input: Record<string, string | number | Buffer>, error: string][] = [
    ['nothing but the command', {}, 'media_id parameter is missing.; segment_index parameter is missing.'],
    ['an unknown upload', { media_id: '123', segment_index: 0, media: PICTURE }, 'Invalid or expired media_id.'],
    ['no number', { media_id: 'abc', segment_index: 0, media: PICTURE }, 'Expected Long, got "abc" for media_id'],
    [
      'a place too far',
      { segment_index: 1000, media: PICTURE },
      'Expected int between 0 and 999, got "1000" for segment_index',
    ],
    [
      'a place before the first',
      { segment_index: -1, media: PICTURE },
      'Expected int between 0 and 999, got "-1" for segment_index',
    ],
    ['no bytes', { segment_index: 0 }, 'media or media_data parameter is missing.'],
    ['an empty file', { segment_index: 0, media: Buffer.alloc(0) }, 'media or media_data parameter is missing.'],
    [
      'both files',
      { segment_index: 0, media: PICTURE, media_data: 'AAAA' },
      'media and media_data are exclusive parameters.',
    ],
    ['text that is no base64', { segment_index: 0, media_data: 'A*==' }, 'media_data is not valid base64.'],
    ['text that breaks off', { segment_index: 0, media_data: 'AAAAA' }, 'media_data is not valid base64.'],
    [
      'bytes as a plain parameter',
      { segment_index: 0, media: 'AAAA' },
      'media must be a part of a multipart/form-data body.',
    ],
    [
      'more than was announced',
      { segment_index: 1, media: Buffer.alloc(91) },
      'Segments exceed the provided total file size: expected 100 bytes, received 101.',
    ],
    ['a segment too large', { segment_index: 1, media: Buffer.alloc(5001) }, 'The file has more than 5000 bytes.'],
    [
      'a segment larger than anything',
      { segment_index: 1, media: Buffer.alloc(6500) },
      'The file has more than 6000 bytes.',
    ],
    [
      'a segment far too large',
      { segment_index: 1, media: Buffer.alloc(300_000) },
      'The file has more than 6000 bytes.',
    ],
  ];
  for (const [what, input, error] of bad) {
    test(`with ${what} is refused: ${error}`, async () => {
      const id = await begin('image/png', 100);
      assert.equal((await append(id, 0, Buffer.alloc(10))).status, 204);
      const own = (Object.keys(input).length === 0 ? {} : { media_id: id }) as Record<string, string>;
      const reply = await command(world.sandbox, 'APPEND', { ...own, ...input });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body, refused(UPLOAD, error));
    });
  }

  test('to an upload of another user gives not found', async () => {
    const id = await begin('image/png', 100, { additional_owners: '1,2,3' });
    const reply = await command(world.other, 'APPEND', { media_id: id, segment_index: 0, media: PICTURE });
    assert.deepEqual(reply.body, refused(UPLOAD, 'Invalid or expired media_id.'));
  });

  const cutOff: [what: string, type: string, body: string][] = [
    ['ends early', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="media"\r\n\r\nbyt'],
    ['has no boundary', 'multipart/form-data', '--b--\r\n'],
    ['has nothing', 'multipart/form-data; boundary=b', ''],
  ];
  for (const [what, type, body] of cutOff) {
    test(`with a body that ${what} is refused`, async () => {
      const { sandboxUrl } = world.service;
      const headers = { 'content-type': type };
      const call = { method: 'POST', target: UPLOAD, keys: world.keys, headers, body };
      const reply = await rawCall(sandboxUrl, world.clock, call);
      assert.deepEqual([reply.status, reply.body.error], [400, 'The multipart body is not well-formed.']);
    });
  }
});

describe('FINALIZE', () => {
  test('reports ten missing segments, and the number of others', async () => {
    const id = await begin('image/png', PICTURE.length);
    await append(id, 999, PICTURE.subarray(30));
    const { body } = await command(world.sandbox, 'FINALIZE', { media_id: id });
    assert.match(body.error, /, missing segments 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 989 more\.$/);
  });

  test('reports missing segments, and succeeds once they have arrived', async () => {
    const id = await begin('image/png', PICTURE.length);
    const lacking = async (received: number, missing = '') => {
      const reply = await command(world.sandbox, 'FINALIZE', { media_id: id });
      const sums = `expected ${PICTURE.length} bytes, received ${received}${missing}`;
      const error = `Segments do not add up to provided total file size: ${sums}.`;
      assert.deepEqual([reply.status, reply.body], [400, refused(UPLOAD, error)]);
    };
    await lacking(0);
    await append(id, 3, PICTURE.subarray(30));
    await lacking(PICTURE.length - 30, ', missing segments 0, 1, 2');
    await append(id, 0, PICTURE.subarray(0, 10));
    await append(id, 1, PICTURE.subarray(10, 20));
    await lacking(PICTURE.length - 10, ', missing segments 2');
    await append(id, 2, PICTURE.subarray(20, 30));
    assert.equal((await command(world.sandbox, 'FINALIZE', { media_id: id })).status, 200);
    const late = await append(id, 2, PICTURE.subarray(20, 30));
    assert.deepEqual(late.body, refused(UPLOAD, 'The upload is finalized and takes no more segments.'));
  });

  for (const [media_type, media_category, bytes] of [
    ['image/png', 'post_image', PICTURE],
    ['video/mp4', 'post_video', MP4],
  ] as const) {
    test(`by eight concurrent callers is answered alike: ${media_category}`, async () => {
      const id = await begin(media_type, bytes.length, { media_category });
      await append(id, 0, bytes.subarray(0, 9));
      await append(id, 1, bytes.subarray(9));
      const all = await Promise.all(
        Array.from({ length: 8 }, () => command(world.sandbox, 'FINALIZE', { media_id: id })),
      );
      // Processing may have begun before the last of them is answered.
      const alike = all.map(({ status, text }) => `${status} ${text.replace(/"processing_info":\{[^}]*\}/, '')}`);
      assert.deepEqual([...new Set(alike)].slice(1), [], all[0]!.text);
      assert.equal(all[0]!.status, 200);
      await world.service.jobs.runDue();
      world.clock.advance(1);
      await world.service.jobs.runDue();
      const status = await command(world.sandbox, 'STATUS', { media_id: id });
      assert.equal(status.body.processing_info.state, 'succeeded');
    });
  }

  test('of GIFs and videos with a category starts processing', async () => {
    const { id, body } = await upload(world.sandbox, MOV, { media_type: 'video/mp4', media_category: 'amplify_video' });
    const head = { media_id: body.media_id, media_id_string: id, media_key: `13_${id}`, size: MOV.length };
    const before = { ...head, expires_after_secs: DAY_S, video: { video_type: 'video/mp4' } };
    assert.deepEqual(body, { ...before, processing_info: { state: 'pending', check_after_secs: 1 } });
    const state = async () => (await command(world.sandbox, 'STATUS', { media_id: id })).body;
    const halfway = { state: 'in_progress', check_after_secs: 1, progress_percent: 50 };
    assert.deepEqual((await state()).processing_info, halfway);
    await world.service.jobs.runDue();
    assert.deepEqual((await state()).processing_info, halfway);
    world.clock.advance(1);
    await world.service.jobs.runDue();
    assert.deepEqual(await state(), {
      ...head,
      expires_after_secs: DAY_S - 1,
      video: { video_type: 'video/quicktime' },
      processing_info: { state: 'succeeded', progress_percent: 100 },
    });
    const row = await world.service.store.read((tx) => tx.uploads.find(id));
    const { width, height, duration_ms, codec } = row!;
    assert.deepEqual({ width, height, duration_ms, codec }, { width: 64, height: 36, duration_ms: 1200, codec: 'AVC' });
  });

  test('of GIFs and videos without a category processes them at once', async () => {
    const gif = await upload(world.sandbox, GIF, { media_type: 'image/gif' });
    assert.deepEqual(gif.body.image, { image_type: 'image/gif', w: 16, h: 12 });
    assert.deepEqual(gif.body.processing_info, { state: 'succeeded', progress_percent: 100 });
    const webm = await upload(world.sandbox, WEBM, { media_type: 'video/webm' });
    assert.deepEqual(webm.body.video, { video_type: 'video/webm' });
  });
});

describe('STATUS', () => {
  test('is available to the uploader and additional owners', async () => {
    const me = await world.other.call('GET', '/2/users/me');
    const additional_owners = me.body.data.id as string;
    const { id } = await upload(world.sandbox, JPEG, { media_type: 'image/jpeg', additional_owners });
    const status = await command(world.other, 'STATUS', { media_id: id });
    assert.deepEqual(status.body.processing_info, { state: 'succeeded', progress_percent: 100 });
    const own = await upload(world.sandbox, JPEG, { media_type: 'image/jpeg' });
    const hidden = await command(world.other, 'STATUS', { media_id: own.id });
    assert.deepEqual(hidden.body, refused(UPLOAD, 'Invalid or expired media_id.'));
  });

  test('of an unfinished upload has only its key', async () => {
    const id = await begin('video/mp4', 10);
    const { body } = await command(world.sandbox, 'STATUS', { media_id: id });
    assert.deepEqual(Object.keys(body), ['media_id', 'media_id_string', 'media_key', 'expires_after_secs']);
  });

  test('requires command and upload id', async () => {
    const nothing = await world.sandbox.call('GET', UPLOAD);
    const error = 'command parameter is missing.; media_id parameter is missing.';
    assert.deepEqual([nothing.status, nothing.body], [400, refused(UPLOAD, error)]);
  });
});

describe('one-call image upload', () => {
  for (const [what, parts] of [
    ['bytes', { media: WEBP }],
    ['base64', { media_data: WEBP.toString('base64'), media_category: 'post_image' }],
  ] as const) {
    test(`is treated as ${what}`, async () => {
      const { status, body } = await world.sandbox.call('POST', UPLOAD, { parts: partsOf(parts) });
      assert.equal(status, 200);
      const { media_id_string: id, media_key, size, expires_after_secs, image } = body;
      assert.deepEqual([media_key, size, expires_after_secs], [`3_${id}`, WEBP.length, DAY_S]);
      assert.deepEqual(image, { image_type: 'image/webp', w: 32, h: 24 });
    });
  }

  const bad: [what: string, parts: Record<string, string | Buffer>, error: string][] = [
    ['nothing', { media_category: 'post_image' }, 'media or media_data parameter is missing.'],
    ['a video', { media: MP4 }, 'The media is not valid: Unsupported image format.'],
    ['the category of videos', { media: JPEG, media_category: 'post_video' }, 'media type unrecognized.'],
    [
      'an image as a GIF',
      { media: JPEG, media_category: 'post_gif' },
      'The media is not valid: Unsupported image format.',
    ],
    [
      'a page with a script',
      { media: Buffer.from('<svg><script>1</script></svg>') },
      'The media is not valid: Unsupported image format.',
    ],
  ];
  for (const [what, parts, error] of bad) {
    test(`is refused with ${what}`, async () => {
      const reply = await world.sandbox.call('POST', UPLOAD, { parts: partsOf(parts) });
      assert.deepEqual([reply.status, reply.body], [400, refused(UPLOAD, error)]);
    });
  }
});

describe('the hash of a body of parts', () => {
  for (const [what, forged, status] of [
    ['that was signed is held against it', '', 204],
    ['that is of another body is refused', 'x', 401],
  ] as const) {
    test(what, async () => {
      const id = await begin('image/png', 3);
      const query = `command=APPEND&media_id=${id}&segment_index=0`;
      const body = `--b\r\ncontent-disposition: form-data; name="media"\r\n\r\nabc\r\n--b--\r\n`;
      const oauth_body_hash = createHash('sha1')
        .update(body + forged)
        .digest('base64');
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const call = { method: 'POST', target: `${UPLOAD}?${query}`, keys: world.keys, headers, body };
      const reply = await rawCall(world.service.sandboxUrl, world.clock, { ...call, oauth: { oauth_body_hash } });
      assert.equal(reply.status, status, reply.text);
      const segments = await world.service.store.read((tx) => tx.uploads.listSegments(id));
      assert.equal(segments.length, status === 204 ? 1 : 0);
    });
  }
});
