import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { greyPicture } from '../../src/media/grey-picture.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { partsOf } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PICTURE = greyPicture(30, 20);
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

describe('the second generation', () => {
  test('has a route for each step, beginning with JSON', async () => {
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

  test('takes commands and one image at once', async () => {
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
  const bad: [path: string, sent: object, errors: object[]][] = [
    ['/initialize', {}, [missing('total_bytes'), missing('media_type')]],
    ['', { params: { command: 'APPEND' } }, [missing('media_id'), missing('segment_index')]],
    [
      '/123/append',
      { parts: partsOf({ segment_index: 0, media: PICTURE }) },
      [{ parameters: { media_id: ['123'] }, message: 'Invalid or expired media_id.' }],
    ],
    ['/123/finalize', {}, [{ parameters: { media_id: ['123'] }, message: 'Invalid or expired media_id.' }]],
    [
      '/initialize',
      { json: { media_type: 'image/svg+xml', total_bytes: 1 } },
      [{ parameters: { media_type: ['image/svg+xml'] }, message: 'media type unrecognized.' }],
    ],
  ];
  for (const [path, sent, errors] of bad) {
    test(`tells what is wrong as a problem: ${path} ${JSON.stringify(errors)}`, async () => {
      const reply = await post(path, sent);
      assert.deepEqual([reply.status, reply.body.title, reply.body.errors], [400, 'Invalid Request', errors]);
    });
  }
});
