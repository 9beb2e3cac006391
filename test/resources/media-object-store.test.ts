// On either database: objects lie beside it.
import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { mediaPath, posterPath } from '../../src/contract/services/media.ts';
import { contentOfBytes } from '../../src/contract/services/objects.ts';
import type { Upload } from '../../src/contract/store/uploads.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { until } from '../rig/patience.ts';
import { PLANTED } from '../rig/planted-media.ts';
import { type OwnS3, startS3 } from '../rig/s3.ts';
import { GIF, MP4 } from '../rig/tiny-media.ts';
import { command, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(30, 20);
const DAY_S = 86_400;

let s3: OwnS3;
let world: World;
before(async () => {
  s3 = await startS3();
  world = await openWorld({ flags: { ...s3.flags, media_processing_s: 0 } });
});
after(async () => {
  await world.close();
  await s3.close();
});

const uploadOf = async (id: string): Promise<Upload> => (await world.service.store.read((tx) => tx.uploads.find(id)))!;
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(world.service.services.media.addresses.url('sandbox', path), { headers });
const bytesOf = async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer());
async function keysOf(id: string): Promise<string[]> {
  const keys: string[] = [];
  for (const area of ['parts', 'ready']) {
    for await (const { key } of world.service.services.objects.list(`media/${area}/${id}/`)) keys.push(key);
  }
  return keys.sort();
}
const begin = async (media_type: string, bytes: Buffer, more = {}): Promise<string> =>
  (await command(world.sandbox, 'INIT', { media_type, total_bytes: bytes.length, ...more })).body.media_id_string;
const append = (media_id: string, segment_index: number, media: Buffer) =>
  command(world.sandbox, 'APPEND', { media_id, segment_index, media });

const metrics = async (): Promise<string> => (await fetch(`${world.service.url}/metrics`)).text();
const readiness = async (): Promise<string | undefined> => {
  world.clock.advance(2);
  const reply = await fetch(`${world.service.url}/readyz`);
  return ((await reply.json()) as { checks: Record<string, string> }).checks.objects;
};

describe('media in a bucket', () => {
  test('is uploaded, processed and served as from a folder, and no file of it stays', async () => {
    const { id } = await upload(world.sandbox, MP4, { media_type: 'video/mp4', media_category: 'post_video' });
    await world.service.jobs.runDue();
    const video = await uploadOf(id);
    assert.equal(video.state, 'succeeded');
    assert.deepEqual(await bytesOf(await get(mediaPath(video))), MP4);
    const part = await get(mediaPath(video), { range: 'bytes=100-199' });
    assert.deepEqual([part.status, await bytesOf(part)], [206, MP4.subarray(100, 200)]);
    assert.deepEqual(await bytesOf(await get(posterPath(video))), placeholderImage(64, 36));
    for (const { planted, mime, category, clean } of PLANTED) {
      const { id: each } = await upload(world.sandbox, planted, { media_type: mime, media_category: category });
      await world.service.jobs.runDue();
      assert.deepEqual(await bytesOf(await get(mediaPath(await uploadOf(each)))), clean);
    }
    assert.deepEqual(readdirSync(join(world.place.folder, 'media', 'incoming')), []);
    assert.deepEqual(readdirSync(join(world.place.folder, 'media')).sort(), ['cache', 'incoming']);
  });

  test('has only the objects in use an hour after it was processed, and none after it has expired', async () => {
    const { id } = await upload(world.sandbox, GIF, { media_type: 'image/gif', media_category: 'post_gif' });
    await world.service.jobs.runDue();
    assert.equal((await keysOf(id)).length, 4, 'two segments, the whole file and the first frame');
    world.clock.advance(3600);
    await world.service.jobs.runDue();
    const { object_key, poster_key } = await uploadOf(id);
    assert.deepEqual(await keysOf(id), [object_key, poster_key].sort());
    world.clock.advance(DAY_S);
    await world.service.jobs.runDue();
    world.clock.advance(3600);
    await world.service.jobs.runDue();
    assert.deepEqual(await keysOf(id), []);
  });

  test('keeps the later one of two segments with the same index, and its object only', async () => {
    const id = await begin('image/png', PNG);
    assert.equal((await append(id, 0, Buffer.alloc(10))).status, 204);
    assert.equal((await append(id, 0, PNG)).status, 204);
    assert.equal((await keysOf(id)).length, 1);
    assert.equal((await command(world.sandbox, 'FINALIZE', { media_id: id })).status, 200);
    assert.deepEqual(await bytesOf(await get(mediaPath(await uploadOf(id)))), PNG);
  });
});

for (const [state, disturb] of [
  ['silent', () => s3.proxy.silence()],
  ['unreachable', () => s3.proxy.refuse()],
] as const) {
  describe(`a bucket that is ${state}`, () => {
    const away = async <T>(work: () => Promise<T>): Promise<T> => {
      disturb();
      try {
        return await work();
      } finally {
        s3.proxy.mend();
      }
    };
    /** What is answered once the bucket is used again: connections that were cut may be noticed late. */
    const patiently = async <T extends { status: number }>(call: () => Promise<T>): Promise<T> => {
      let reply = await call();
      for (let more = 0; more < 20 && reply.status === 503; more += 1) reply = await call();
      return reply;
    };
    const tryLater = (reply: { status: number; headers: Headers }): void => {
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '1']);
    };

    test('refuses segments and one-call images with 503; acknowledged segments survive', async () => {
      const id = await begin('image/png', PNG);
      assert.equal((await append(id, 0, PNG.subarray(0, 50))).status, 204);
      await away(async () => {
        tryLater(await append(id, 1, PNG.subarray(50)));
        const parts = new FormData();
        parts.set('media', new Blob([new Uint8Array(PNG)]), 'file');
        tryLater(await world.sandbox.call('POST', '/1.1/media/upload.json', { parts }));
        // Several segments have to be fetched.
        const { status } = await command(world.sandbox, 'FINALIZE', { media_id: id });
        assert.equal(status, 400, 'nobody counts a segment that was not acknowledged');
      });
      assert.equal((await patiently(() => append(id, 1, PNG.subarray(50)))).status, 204);
      await away(async () => tryLater(await command(world.sandbox, 'FINALIZE', { media_id: id })));
      assert.equal((await uploadOf(id)).state, 'uploading');
      assert.equal((await patiently(() => command(world.sandbox, 'FINALIZE', { media_id: id }))).status, 200);
      assert.deepEqual(await bytesOf(await patiently(async () => get(mediaPath(await uploadOf(id))))), PNG);
      assert.deepEqual(readdirSync(join(world.place.folder, 'media', 'incoming')), []);
    });

    test('delays processing until it is back', async () => {
      const { id } = await upload(world.sandbox, MP4, { media_type: 'video/mp4', media_category: 'post_video' });
      await away(async () => {
        await world.service.jobs.runDue();
        assert.equal((await uploadOf(id)).state, 'in_progress');
        assert.equal(await readiness(), 'degraded');
        assert.match(await metrics(), /^barker_object_store_up 0$/m);
      });
      await until('readiness finds out without another call', async () => (await readiness()) === 'ok');
      assert.match(await metrics(), /^barker_object_store_up 1$/m);
      await until('it is processed', async () => {
        world.clock.advance(2);
        await world.service.jobs.runDue();
        return (await uploadOf(id)).state === 'succeeded';
      });
    });

    test('serves what was served before, and answers 503 for the rest', async () => {
      const [seen, unseen] = [await begin('image/png', PNG), await begin('image/png', PNG)];
      for (const id of [seen, unseen]) {
        await append(id, 0, PNG);
        await command(world.sandbox, 'FINALIZE', { media_id: id });
      }
      const path = async (id: string): Promise<string> => mediaPath(await uploadOf(id));
      assert.equal((await get(await path(seen))).status, 200);
      await away(async () => {
        assert.deepEqual(await bytesOf(await get(await path(seen))), PNG);
        tryLater(await get(await path(unseen)));
      });
      assert.deepEqual(await bytesOf(await patiently(async () => get(await path(unseen)))), PNG);
    });
  });
}

describe('objects without a row', () => {
  test('are removed when they are older than a day', async () => {
    const own = await openWorld();
    try {
      const { objects } = own.service.services;
      const { id } = await upload(own.sandbox, PNG, { media_type: 'image/png', media_category: 'post_image' });
      const sending = (await command(own.sandbox, 'INIT', { media_type: 'image/png', total_bytes: 10 })).body;
      const { media_id_string } = sending;
      const segment = { media_id: media_id_string, segment_index: 0, media: Buffer.alloc(9) };
      await command(own.sandbox, 'APPEND', segment);
      await own.service.store.write((tx) => tx.uploads.markUsed([id, media_id_string]));
      await own.service.jobs.runDue();
      const orphans = [`media/parts/${media_id_string}/3_ab`, `media/ready/${id}/whole_ab`, 'media/ready/123/whole_ab'];
      const young = 'media/parts/123/0_cd';
      for (const key of [...orphans, young]) await objects.put(key, contentOfBytes(PNG));
      const all: string[] = [];
      for await (const { key } of objects.list('media/parts/')) all.push(key);
      for await (const { key } of objects.list('media/ready/')) all.push(key);
      const old_s = systemClock.now() / 1000 - DAY_S - 60;
      for (const key of all) if (key !== young) utimesSync(objects.localPath(key)!, old_s, old_s);
      own.clock.advance(DAY_S);
      await own.service.jobs.runDue();
      const left: string[] = [];
      for await (const { key } of objects.list('media/parts/')) left.push(key);
      for await (const { key } of objects.list('media/ready/')) left.push(key);
      assert.deepEqual(left.sort(), all.filter((key) => !orphans.includes(key)).sort());
      assert.ok(left.includes(young));
      assert.equal(left.length, 3, 'a segment, the image, and what may still get a row');
    } finally {
      await own.close();
    }
  });
});
