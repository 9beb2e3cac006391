// Of one node: its jobs are stopped and started.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { mediaPath } from '../../src/contract/services/media.ts';
import type { Upload } from '../../src/contract/store/uploads.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { until } from '../rig/patience.ts';
import { endless, type OwnFfmpeg, openOwnFfmpeg } from '../rig/programs.ts';
import { JPEG, MP4, TIFF } from '../rig/tiny-media.ts';
import { command, partsOf, UPLOAD, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(8, 6);
/** The MP4 with another codec, and as if it lasted twice as long. */
const HEVC = withCodec('hvc1');
const LONG_HEVC = Buffer.from(HEVC);
LONG_HEVC.writeUInt32BE(2400, LONG_HEVC.indexOf('tkhd') + 24);
const VIDEO = { media_type: 'video/mp4', media_category: 'post_video' };
const FAULT = 'HEVC could not be converted: use H.264';

function withCodec(codec: string): Buffer {
  const copy = Buffer.from(MP4);
  copy.write(codec, copy.lastIndexOf('avc1'), 'latin1');
  copy.write('free', copy.indexOf('avcC'), 'latin1');
  return copy;
}

let program: OwnFfmpeg;
let world: World;
before(async () => {
  program = openOwnFfmpeg();
  for (const [name, bytes] of Object.entries({ MP4, HEVC, PNG, JPEG }))
    writeFileSync(join(program.folder, name), bytes);
  world = await openWorld({
    flags: {
      ffmpeg_program: program.path,
      media_processing_s: 0,
      media_video_bytes_max: 100_000,
      media_image_bytes_max: 20_000,
    },
  });
});
after(async () => {
  await world.close();
  program.remove();
});

const copyOf = (name: string): string => `cp '${program.folder}/${name}' "$place"`;
const uploadOf = async (id: string): Promise<Upload> => (await world.service.store.read((tx) => tx.uploads.find(id)))!;
const incoming = (): string[] => readdirSync(join(world.place.folder, 'media', 'incoming'));
const statusOf = async (media_id: string) => (await command(world.sandbox, 'STATUS', { media_id })).body;
const IN_PROGRESS = { state: 'in_progress', check_after_secs: 1, progress_percent: 50 };

async function served(id: string): Promise<Buffer> {
  const reply = await fetch(world.service.services.media.addresses.url('sandbox', mediaPath(await uploadOf(id))));
  return Buffer.from(await reply.arrayBuffer());
}

/** Begins an upload whose conversion does not end by itself; the answer is its id, and when all jobs have ended. */
async function uploadEndlessly(): Promise<[id: string, ended: Promise<void>]> {
  rmSync(join(program.folder, 'begun'), { force: true });
  program.does(endless(program.folder));
  const { id } = await upload(world.sandbox, HEVC, VIDEO);
  const ended = world.service.jobs.runDue();
  await until('the program runs', () => existsSync(join(program.folder, 'begun')));
  return [id, ended];
}

describe('a video that not every browser shows', () => {
  beforeEach(() => program.does(copyOf('MP4')));

  test('is converted, and what it became is stored', async () => {
    const { id, body } = await upload(world.sandbox, HEVC, VIDEO);
    assert.equal(body.processing_info.state, 'pending');
    await world.service.jobs.runDue();
    const { size, processing_info } = await statusOf(id);
    assert.deepEqual([size, processing_info], [MP4.length, { state: 'succeeded', progress_percent: 100 }]);
    const { mime, codec, width, height, duration_ms, object_key, poster_key } = await uploadOf(id);
    assert.deepEqual([mime, codec, width, height, duration_ms], ['video/mp4', 'AVC', 64, 36, 1200]);
    assert.deepEqual(await served(id), MP4);
    assert.deepEqual(incoming(), []);
    world.clock.advance(3600);
    await world.service.jobs.runDue();
    const left: string[] = [];
    for (const area of ['parts', 'ready']) {
      for await (const { key } of world.service.services.objects.list(`media/${area}/${id}/`)) left.push(key);
    }
    assert.deepEqual(left.sort(), [object_key, poster_key].sort());
  });

  test('is converted by a job also when it has no category', async () => {
    const { id, status, body } = await upload(world.sandbox, HEVC, { media_type: 'video/mp4' });
    assert.deepEqual([status, body.processing_info], [200, IN_PROGRESS]);
    await world.service.jobs.runDue();
    assert.equal((await statusOf(id)).processing_info.state, 'succeeded');
    assert.equal((await command(world.sandbox, 'FINALIZE', { media_id: id })).status, 200);
  });

  test('fails without a category as others do', async () => {
    program.does('exit 1');
    const { id } = await upload(world.sandbox, HEVC, { media_type: 'video/mp4' });
    await world.service.jobs.runDue();
    assert.equal((await statusOf(id)).processing_info.error.message, FAULT);
    const again = await command(world.sandbox, 'FINALIZE', { media_id: id });
    assert.deepEqual([again.status, again.body.error], [400, `The media is not valid: ${FAULT}.`]);
  });

  const failures: [what: string, bytes: Buffer, line: () => string, fault: string][] = [
    ['fails', HEVC, () => 'exit 1', FAULT],
    ['writes nothing', HEVC, () => 'exit 0', FAULT],
    ['writes what is no video', HEVC, () => 'echo no video >"$place"', FAULT],
    ['writes what browsers do not show either', HEVC, () => copyOf('HEVC'), FAULT],
    ['ends in the middle', LONG_HEVC, () => copyOf('MP4'), FAULT],
    [
      'writes more than a video may have',
      HEVC,
      () => 'exec cat /dev/zero >"$place"',
      'HEVC is too large once converted: use H.264',
    ],
  ];
  for (const [what, bytes, line, fault] of failures) {
    test(`fails when the program ${what}: ${fault}`, async () => {
      program.does(line());
      const { id } = await upload(world.sandbox, bytes, VIDEO);
      await world.service.jobs.runDue();
      const { state, error } = (await statusOf(id)).processing_info;
      assert.deepEqual([state, error?.message], ['failed', fault]);
      assert.deepEqual(incoming(), []);
    });
  }

  test('is in progress while it is converted; when the server stops, that ends, and begins again', async () => {
    const [id, ended] = await uploadEndlessly();
    assert.deepEqual((await statusOf(id)).processing_info, IN_PROGRESS);
    assert.notDeepEqual(incoming(), []);
    await world.service.jobs.stop();
    await ended;
    assert.deepEqual([(await uploadOf(id)).state, incoming()], ['in_progress', []]);
    program.does(copyOf('MP4'));
    world.service.jobs.start();
    await world.service.jobs.runDue();
    assert.equal((await uploadOf(id)).state, 'succeeded');
  });

  test('is no longer converted once the upload has expired', async () => {
    const [id, ended] = await uploadEndlessly();
    world.clock.advance(86_400);
    await world.service.jobs.runNow('media-expiry', id);
    await ended;
    assert.deepEqual([await uploadOf(id), incoming()], [undefined, []]);
  });
});

describe('an image that not every browser shows', () => {
  const image = { media_type: 'image/tiff', media_category: 'post_image' };

  test('is converted when its upload ends', async () => {
    program.does(copyOf('PNG'));
    const { id, status, body } = await upload(world.sandbox, TIFF, image);
    assert.deepEqual([status, body.size, body.image], [200, PNG.length, { image_type: 'image/png', w: 8, h: 6 }]);
    assert.deepEqual(await served(id), PNG);
    assert.deepEqual(incoming(), []);
  });

  test('is converted when it is uploaded in one call', async () => {
    program.does(copyOf('PNG'));
    const { status, body } = await world.sandbox.call('POST', UPLOAD, { parts: partsOf({ media: TIFF }) });
    assert.deepEqual([status, body.image], [200, { image_type: 'image/png', w: 8, h: 6 }]);
    assert.deepEqual(await served(body.media_id_string), PNG);
  });

  test('becomes a JPEG if the PNG would be too large', async () => {
    program.does(`case "$*" in *mjpeg*) ${copyOf('JPEG')} ;; *) exec cat /dev/zero >"$place" ;; esac`);
    const { body } = await upload(world.sandbox, TIFF, image);
    assert.deepEqual(body.image, { image_type: 'image/jpeg', w: 32, h: 24 });
  });

  for (const [line, fault] of [
    ['exit 1', 'TIFF could not be converted: use JPEG or PNG'],
    ['exec cat /dev/zero >"$place"', 'TIFF is too large once converted: use JPEG or PNG'],
  ] as const) {
    test(`is refused otherwise: ${fault}`, async () => {
      program.does(line);
      const { status, body } = await upload(world.sandbox, TIFF, image);
      assert.deepEqual([status, body.error], [400, `The media is not valid: ${fault}.`]);
      const { body: single } = await world.sandbox.call('POST', UPLOAD, { parts: partsOf({ media: TIFF }) });
      assert.equal(single.error, `The media is not valid: ${fault}.`);
      assert.deepEqual(incoming(), []);
    });
  }
});
