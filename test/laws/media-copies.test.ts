import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { backUp, type ObjectSource } from '../../src/backup/backup.ts';
import { inspectArchive } from '../../src/backup/inspect-archive.ts';
import { restore } from '../../src/backup/restore.ts';
import { TargetNotEmpty } from '../../src/backup/restore-target.ts';
import { mediaPath, posterPath } from '../../src/contract/services/media.ts';
import { adoptSegments } from '../../src/features/media/adopt-segments.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { S3Objects } from '../../src/storage/objects/s3-objects.ts';
import { COPY_KEYS, RECORD, sourceOn, targetOn } from '../rig/copies.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { type OwnS3, startS3 } from '../rig/s3.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(30, 20);
const FLAGS = { rate_limits: 'off', media_processing_s: 0 };
const open: { close(): Promise<void> }[] = [];
after(async () => {
  for (const each of open) await each.close();
});

/** Uploads in every state of a world, by what they are. */
interface Uploads {
  readonly image: string;
  readonly video: string;
  readonly unfinished: string;
}

async function uploadAll({ sandbox, service }: World): Promise<Uploads> {
  const { id: image } = await upload(sandbox, PNG, { media_type: 'image/png', media_category: 'post_image' });
  const { id: video } = await upload(sandbox, MP4, { media_type: 'video/mp4', media_category: 'post_video' });
  await service.jobs.runDue();
  const begun = await command(sandbox, 'INIT', { media_type: 'image/png', total_bytes: PNG.length });
  const unfinished = begun.body.media_id_string;
  await command(sandbox, 'APPEND', { media_id: unfinished, segment_index: 1, media: PNG.subarray(50) });
  return { image, video, unfinished };
}

/** Everything is served, and the unfinished upload can be ended; every time from where it was. */
async function check({ sandbox, service }: World, { image, video, unfinished }: Uploads): Promise<void> {
  const [picture, film] = await service.store.read(async (tx) => [
    (await tx.uploads.find(image))!,
    (await tx.uploads.find(video))!,
  ]);
  const served = async (path: string): Promise<Buffer> => {
    const reply = await fetch(service.services.media.addresses.url('sandbox', path));
    return Buffer.from(await reply.arrayBuffer());
  };
  assert.deepEqual(await served(mediaPath(picture!)), PNG);
  assert.deepEqual(await served(mediaPath(film!)), MP4);
  assert.deepEqual(await served(posterPath(film!)), placeholderImage(64, 36));
  const first = { media_id: unfinished, segment_index: 0, media: PNG.subarray(0, 50) };
  assert.equal((await command(sandbox, 'APPEND', first)).status, 204);
  const ended = await command(sandbox, 'FINALIZE', { media_id: unfinished });
  assert.equal(ended.status, 200, ended.text);
  const upload = await service.store.read((tx) => tx.uploads.find(unfinished));
  assert.deepEqual(await served(mediaPath(upload!)), PNG);
}

describe('a backup', () => {
  let s3: OwnS3;
  let original: World;
  let uploads: Uploads;
  before(async () => {
    s3 = await startS3();
    original = await openWorld({ flags: FLAGS });
    open.push(original, s3);
    uploads = await uploadAll(original);
  });

  /** Restores an archive, and starts a service on it. */
  async function restored(archive: string, place: Place, flags: object, objects?: ObjectSource): Promise<World> {
    const { head } = await inspectArchive(archive, COPY_KEYS);
    // Each restore is later than the one before.
    original.clock.advance(1);
    const now = original.clock.now();
    const restoring = { now, requests_not_before: 0, progress: () => {}, record: { ...RECORD, id: place.folder } };
    await restore(archive, head, { ...targetOn(place), ...(objects && { objects: objects.store }) }, restoring);
    for (const name of ['master.key', 'dev.json']) {
      copyFileSync(join(original.place.folder, name), join(place.folder, name));
    }
    const world = await openWorld({ place, start: new Date(now).toISOString(), flags: { ...FLAGS, ...flags } });
    open.unshift(world);
    return world;
  }

  test('of a folder is restored into a bucket, and one of the bucket into a folder', async () => {
    const bucket = { store: new S3Objects(s3.options, { lost: () => {}, back: () => {} }), folder: undefined };
    const now = original.clock.now();
    const archives = ['a.tar.zst', 'b.tar.zst'].map((name) => join(original.place.folder, name));
    const ofFolder = await onPlace(original.place, (driver) =>
      backUp(sourceOn(original.place, driver, now), archives[0]!),
    );
    assert.deepEqual([ofFolder.missing, ofFolder.files.count >= 4], [[], true]);
    const second = await restored(archives[0]!, await openPlace(), s3.flags, bucket);
    const ofBucket = await onPlace(second.place, (driver) =>
      backUp({ ...sourceOn(second.place, driver, now), objects: bucket }, archives[1]!),
    );
    assert.deepEqual([ofBucket.missing, ofBucket.files.count], [[], ofFolder.files.count]);
    await check(second, uploads);
    const third = await restored(archives[1]!, await openPlace(), {});
    await check(third, uploads);
    await check(original, uploads);
    const { head } = await inspectArchive(archives[0]!, COPY_KEYS);
    const target = { ...targetOn(await openPlace()), objects: bucket.store };
    const restoring = { now, requests_not_before: 0, progress: () => {}, record: RECORD };
    await assert.rejects(restore(archives[0]!, head, target, restoring), TargetNotEmpty);
    bucket.store.close();
  });

  test('names the uploads whose objects are missing', async () => {
    const { objects } = original.service.services;
    const { id } = await upload(original.sandbox, PNG, { media_type: 'image/png', media_category: 'post_image' });
    const found = await original.service.store.read((tx) => tx.uploads.find(id));
    await objects.remove([found!.object_key!]);
    const archive = join(original.place.folder, 'c.tar');
    const { missing } = await onPlace(original.place, (driver) =>
      backUp(sourceOn(original.place, driver, original.clock.now()), archive),
    );
    assert.deepEqual(missing, [id]);
  });
});

describe('segments that an earlier release has received', () => {
  let world: World;
  before(async () => {
    world = await openWorld({ flags: FLAGS });
    open.unshift(world);
  });

  for (const [what, files] of [
    ['open', { 'parts/0': PNG.subarray(0, 50), 'parts/7': PNG.subarray(50) }],
    ['being assembled', { 'sealed/0': PNG.subarray(0, 50), 'sealed/1': PNG.subarray(50) }],
    ['assembled', { 'ready/whole': PNG, 'sealed/1': PNG.subarray(50) }],
  ] as const) {
    test(`of an upload that was ${what} go on`, async () => {
      const begun = await command(world.sandbox, 'INIT', { media_type: 'image/png', total_bytes: PNG.length });
      const media_id: string = begun.body.media_id_string;
      for (const [path, bytes] of Object.entries(files)) {
        const [area, name] = path.split('/') as [string, string];
        const folder = join(world.place.folder, 'media', area, media_id);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, name), bytes);
      }
      const { store } = world.service;
      const planned = { kind: 'media-adoption', key: 'all', run_at: '9999-12-31T00:00:00Z' };
      await store.write((tx) => tx.jobs.plan(planned));
      await adoptSegments(world.service.services);
      assert.equal(await store.read((tx) => tx.jobs.find('media-adoption', 'all')), undefined);
      const ended = await command(world.sandbox, 'FINALIZE', { media_id });
      assert.deepEqual(ended.body.image, { image_type: 'image/png', w: 30, h: 20 }, ended.text);
      await world.service.jobs.runDue();
      const { object_key } = (await store.read((tx) => tx.uploads.find(media_id)))!;
      const left: string[] = [];
      for (const area of ['parts', 'sealed', 'ready']) {
        for await (const { key } of world.service.services.objects.list(`media/${area}/${media_id}/`)) left.push(key);
      }
      assert.deepEqual(left, [object_key]);
    });
  }
});
