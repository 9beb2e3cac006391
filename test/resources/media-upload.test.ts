import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { greyPicture } from '../../src/media/grey-picture.ts';
import { openWorld, type World } from '../rig/world.ts';

const UPLOAD = '/1.1/media/upload.json';
const PICTURE = greyPicture(30, 20);

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

describe('an image', () => {
  test('is sent in segments and is there', async () => {
    const begun = await world.production.call('POST', UPLOAD, {
      params: { command: 'INIT', total_bytes: PICTURE.length, media_type: 'image/png' },
    });
    assert.equal(begun.status, 202, begun.text);
    const { media_id_string: id } = begun.body;
    assert.match(begun.text, new RegExp(`^{"media_id":${id},"media_id_string":"${id}","media_key":"3_${id}"`));
    const half = Math.floor(PICTURE.length / 2);
    for (const [index, bytes] of [
      [1, PICTURE.subarray(half)],
      [0, PICTURE.subarray(0, half)],
    ] as const) {
      const parts = new FormData();
      parts.set('command', 'APPEND');
      parts.set('media_id', id);
      parts.set('segment_index', String(index));
      parts.set('media', new Blob([new Uint8Array(bytes)]));
      const sent = await world.production.call('POST', UPLOAD, { parts });
      assert.deepEqual([sent.status, sent.text], [204, ''], sent.text);
    }
    const ended = await world.production.call('POST', UPLOAD, { params: { command: 'FINALIZE', media_id: id } });
    assert.equal(ended.status, 200, ended.text);
    assert.deepEqual(ended.body.image, { image_type: 'image/png', w: 30, h: 20 });
    const status = await world.production.call('GET', UPLOAD, { params: { command: 'STATUS', media_id: id } });
    assert.equal(status.status, 200, status.text);
  });
});
