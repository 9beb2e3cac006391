// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { clientOf } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { partsOf } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PICTURE = placeholderImage(30, 20);
const DAY_S = 86_400;
const UPLOAD = '/2/media/upload';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const post = (path: string, sent: Parameters<World['sandbox']['call']>[2] = {}) =>
  world.sandbox.call('POST', UPLOAD + path, sent);
const inDay = () => world.clock.now() / 1000 + DAY_S;

describe('media upload, version 2', () => {
  test('has a route for each step, starting with JSON', async () => {
    const json = {
      media_type: 'video/mp4',
      total_bytes: MP4.length,
      media_category: 'post_video',
      additional_owners: ['7'],
      shared: true,
    };
    const begun = await post('/initialize', { json });
    const { id } = begun.body.data;
    assert.deepEqual(begun.body, { data: { id, media_key: `7_${id}`, expires_after_secs: DAY_S } });
    const sent = await post(`/${id}/append`, { parts: partsOf({ segment_index: 0, media: MP4 }) });
    assert.deepEqual([sent.status, sent.body], [200, { data: { expires_at: inDay() } }]);
    const ended = await post(`/${id}/finalize`);
    const head = {
      id,
      media_key: `7_${id}`,
      size: MP4.length,
      expires_after_secs: DAY_S,
      video: { video_type: 'video/mp4' },
    };
    assert.deepEqual(ended.body, { data: { ...head, processing_info: { state: 'pending', check_after_secs: 1 } } });
    await world.service.jobs.runDue();
    world.clock.advance(1);
    await world.service.jobs.runDue();
    const status = await world.sandbox.call('GET', UPLOAD, { params: { command: 'STATUS', media_id: id } });
    const processing_info = { state: 'succeeded', progress_percent: 100 };
    assert.deepEqual(status.body, { data: { ...head, expires_after_secs: DAY_S - 1, processing_info } });
    assert.deepEqual((await world.service.store.read((tx) => tx.uploads.find(id)))!.additional_owners, ['7']);
  });

  test('rejects values that are not booleans', async () => {
    const json = { media_type: 'image/png', total_bytes: PICTURE.length, shared: 'perhaps' };
    const reply = await post('/initialize', { json });
    const message = 'The `shared` value [perhaps] is not one of [true, false]';
    assert.deepEqual([reply.status, reply.body.errors], [400, [{ parameters: { shared: ['perhaps'] }, message }]]);
  });

  test('accepts commands and one-call image uploads', async () => {
    const params = { command: 'INIT', media_type: 'image/png', total_bytes: PICTURE.length };
    const { id } = (await post('', { parts: partsOf(params) })).body.data;
    const sent = await post('', {
      parts: partsOf({ command: 'APPEND', media_id: id, segment_index: 0, media: PICTURE }),
    });
    assert.deepEqual(sent.body, { data: { expires_at: inDay() } });
    const ended = await post('', { parts: partsOf({ command: 'FINALIZE', media_id: id }) });
    const image = { image_type: 'image/png', w: 30, h: 20 };
    const shown = { size: PICTURE.length, expires_after_secs: DAY_S, image };
    assert.deepEqual(ended.body, { data: { id, media_key: `3_${id}`, ...shown } });
    const once = await post('', { parts: partsOf({ media: PICTURE }) });
    const { data } = once.body;
    assert.deepEqual(data, { id: data.id, media_key: `3_${data.id}`, ...shown });
  });

  const missing = (parameter: string) => ({
    parameters: { [parameter]: [] },
    message: `The \`${parameter}\` parameter is missing`,
  });
  const wrong = (message: string, parameter?: string, value?: string) => ({
    parameters: parameter === undefined ? {} : { [parameter]: [value] },
    message,
  });
  const about = (id: string, message: string) => wrong(message, 'media_id', id);
  const EXPIRED = 'Invalid or expired media_id.';
  const CLOSED = 'The upload is finalized and takes no more segments.';
  const lacking = 'Segments do not add up to provided total file size: expected 76 bytes, received 9.';
  const exceeding = 'Segments exceed the provided total file size: expected 76 bytes, received 85.';
  const both = partsOf({ segment_index: 1, media: PICTURE, media_data: 'AAAA' });
  const first = partsOf({ segment_index: 1, media: PICTURE });
  const nothing = partsOf({ segment_index: 1 });
  const inForm = (params: Record<string, string | number>) => ({ params });
  const png = { media_type: 'image/png', total_bytes: 76 };
  const svg = { media_type: 'image/svg+xml', total_bytes: 1 };
  const large = { media_type: 'image/png', total_bytes: 5_242_881 };
  const unfit = { ...png, media_category: 'post_gif' };
  const tooLarge = 'post_image takes at most 5242880 bytes, got 5242881.';

  /** An upload of a picture: with its first nine bytes, whole, or with other bytes, and finalized. */
  async function standing(state: 'begun' | 'ended' | 'bad'): Promise<string> {
    const { id } = (await post('/initialize', { json: png })).body.data;
    const bytes = { begun: PICTURE.subarray(0, 9), ended: PICTURE, bad: Buffer.alloc(76) }[state];
    await post(`/${id}/append`, { parts: partsOf({ segment_index: 0, media: bytes }) });
    if (state === 'ended') await post(`/${id}/finalize`);
    return id;
  }

  type Sent = Parameters<typeof post>[1];
  type Row = [state: 'begun' | 'ended' | 'bad', path: string, sent: Sent, error: (id: string) => object];
  const table: Row[] = [
    ['begun', '/:id/append', { parts: both }, () => wrong('media and media_data are exclusive parameters.')],
    ['begun', '/:id/append', { parts: nothing }, () => wrong('media or media_data parameter is missing.')],
    ['begun', '/:id/append', { parts: first }, () => wrong(exceeding)],
    ['ended', '/:id/append', { parts: first }, (id) => about(id, CLOSED)],
    ['begun', '/123/append', { parts: first }, () => about('123', EXPIRED)],
    ['begun', '/:id/finalize', {}, () => wrong(lacking)],
    ['bad', '/:id/finalize', {}, () => wrong('The media is not valid: Unsupported image format.')],
    ['begun', '/123/finalize', {}, () => about('123', EXPIRED)],
    [
      'begun',
      '/initialize',
      inForm(unfit),
      () => wrong('post_gif does not take image/png.', 'media_category', 'image/png'),
    ],
    ['begun', '/initialize', inForm(large), () => wrong(tooLarge, 'total_bytes', '5242881')],
    ['begun', '/initialize', inForm(svg), () => wrong('media type unrecognized.', 'media_type', 'image/svg+xml')],
    [
      'begun',
      '',
      inForm({ command: 'INIT', ...unfit }),
      () => wrong('post_gif does not take image/png.', 'media_category', 'image/png'),
    ],
    ['begun', '', inForm({ command: 'INIT', ...large }), () => wrong(tooLarge, 'total_bytes', '5242881')],
    [
      'begun',
      '',
      inForm({ command: 'INIT', ...svg }),
      () => wrong('media type unrecognized.', 'media_type', 'image/svg+xml'),
    ],
    [
      'begun',
      '?command=APPEND&media_id=:id',
      { parts: both },
      () => wrong('media and media_data are exclusive parameters.'),
    ],
    [
      'begun',
      '?command=APPEND&media_id=:id',
      { parts: nothing },
      () => wrong('media or media_data parameter is missing.'),
    ],
    ['begun', '?command=APPEND&media_id=:id', { parts: first }, () => wrong(exceeding)],
    ['ended', '?command=APPEND&media_id=:id', { parts: first }, (id) => about(id, CLOSED)],
    ['begun', '?command=APPEND&media_id=123', { parts: first }, () => about('123', EXPIRED)],
    ['begun', '?command=FINALIZE&media_id=:id', {}, () => wrong(lacking)],
    ['bad', '?command=FINALIZE&media_id=:id', {}, () => wrong('The media is not valid: Unsupported image format.')],
  ];
  for (const [state, path, sent, error] of table) {
    test(`answers errors as problem details: ${path} in state ${state}: ${JSON.stringify(error(':id'))}`, async () => {
      const id = await standing(state);
      const reply = await post(path.replace(':id', id), sent);
      assert.deepEqual([reply.status, reply.body.title, reply.body.errors], [400, 'Invalid Request', [error(id)]]);
    });
  }

  test('reports all missing parameters, and unknown uploads', async () => {
    const begun = await post('/initialize');
    assert.deepEqual(begun.body.errors, [missing('total_bytes'), missing('media_type')]);
    const sent = await post('', inForm({ command: 'APPEND' }));
    assert.deepEqual(sent.body.errors, [missing('media_id'), missing('segment_index')]);
    const status = await world.sandbox.call('GET', UPLOAD, { params: { media_id: '123' } });
    assert.deepEqual(status.body.errors, [about('123', EXPIRED)]);
  });

  const badBodies: readonly (readonly [what: string, sent: () => Sent, error: object])[] = [
    [
      'a file outside of a body of parts',
      () => inForm({ segment_index: 0, media: 'AAAA' }),
      { parameters: { media: [] }, message: 'media must be a part of a multipart/form-data body.' },
    ],
    [
      'text that is not base64',
      () => ({ parts: partsOf({ segment_index: 0, media_data: 'A*==' }) }),
      { parameters: { media_data: [] }, message: 'media_data is not valid base64.' },
    ],
    [
      'parts without a boundary',
      () => ({ headers: { 'content-type': 'multipart/form-data' } }),
      wrong('The multipart body is not well-formed.'),
    ],
    [
      'a segment too large',
      () => ({ parts: partsOf({ segment_index: 0, media: Buffer.alloc(5_242_881) }) }),
      wrong('The file has more than 5242880 bytes.'),
    ],
  ];
  for (const [what, sent, error] of badBodies) {
    test(`reports ${what}`, async () => {
      const id = await standing('begun');
      const reply = await post(`/${id}/append`, sent());
      assert.deepEqual([reply.status, reply.body.errors], [400, [error]]);
    });
  }

  for (const applicationLevel of ['read-write', 'read'] as const) {
    test(`refuses a token of level read of an application of level ${applicationLevel}`, async () => {
      const keys = await register(world, { tokenLevel: 'read', applicationLevel });
      const reply = await clientOf(world.service.sandboxUrl, keys, world.clock).call('POST', `${UPLOAD}/initialize`);
      assert.deepEqual([reply.status, reply.body.title], [403, 'Forbidden']);
    });
  }
});
