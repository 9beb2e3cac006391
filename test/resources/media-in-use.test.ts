import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';
import { callsBelow, productionPath } from './media-calls.ts';

let world: World;
let path = '';
before(async () => {
  world = await openWorld();
  path = await productionPath(world);
});
after(() => world.close());

const own = callsBelow(
  () => world.production,
  () => path,
);
const sent = async (bytes: Buffer, media_type: string, media_category: string): Promise<string> =>
  (await upload(world.production, bytes, { media_type, media_category })).body.media_key;
const read = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

const PAST_EXPIRY_S = 1_300_000;

describe('media from the upload to the line item', () => {
  test('an image of banner size is served and becomes account media', async () => {
    const picture = placeholderImage(320, 50);
    const { data } = (
      await own('POST', '/media_library', { media_key: await sent(picture, 'image/png', 'post_image') })
    ).body;
    assert.equal(data.media_status, 'TRANSCODE_COMPLETED');
    assert.deepEqual(await read(data.media_url), picture);
    const [banner] = (await own('GET', '/account_media', { creative_types: 'BANNER' })).body.data;
    assert.equal(banner.media_url, data.media_url);
  });

  test('a video added while processing is measured later, and does not expire', async () => {
    const key = await sent(MP4, 'video/mp4', 'amplify_video');
    const unused = await sent(MP4, 'video/mp4', 'post_video');
    const pending = (await own('POST', '/media_library', { media_key: key })).body.data;
    assert.match(pending.media_status, /PENDING|IN_PROGRESS/);
    for (const _ of [1, 2, 3]) {
      world.clock.advance(5);
      await world.service.jobs.runDue();
    }
    const done = (await own('GET', `/media_library/${key}`)).body.data;
    assert.deepEqual([done.media_status, done.aspect_ratio, done.duration > 0], ['TRANSCODE_COMPLETED', '16:9', true]);
    world.clock.advance(PAST_EXPIRY_S);
    await world.service.jobs.runDue();
    await world.service.jobs.runDue();
    assert.deepEqual(await read(done.media_url), MP4);
    assert.equal((await fetch(done.poster_media_url)).status, 200);
    const gone = await own('POST', '/media_library', { media_key: unused });
    assert.deepEqual([gone.status, gone.body.errors[0].code], [400, 'INVALID_MEDIA']);
    const [preroll] = (await own('GET', '/account_media', { creative_types: 'PREROLL' })).body.data;
    assert.equal(preroll.video_id, key);
  });

  test('a file that is not a video cannot be added to the library', async () => {
    const key = await sent(Buffer.from('this is not a video at all'), 'video/mp4', 'post_video');
    assert.equal((await own('POST', '/media_library', { media_key: key })).status, 200);
    for (const _ of [1, 2, 3]) {
      world.clock.advance(5);
      await world.service.jobs.runDue();
    }
    assert.equal((await own('GET', `/media_library/${key}`)).body.data.media_status, 'TRANSCODE_FAILED');
  });
});
