// On either database: files lie beside it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { imageSize } from 'image-size';
import { mediaPath, posterPath } from '../../src/contract/services/media.ts';
import { command, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'barker-encoded-'));
before(async () => {
  world = await openWorld({ flags: { media_processing_s: 0, ffmpeg_program: 'ffmpeg' } });
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

/** What must not be served of the metadata: a name and a position. */
const SECRETS = ['Ada Lovelace', '+48.8584+002.2945/'];

/** What an encoder makes of the test picture. */
function encoded(name: string, size: string, seconds: number, options: readonly string[]): Buffer {
  const path = join(folder, name);
  const source = `testsrc=duration=${seconds}:size=${size}:rate=10`;
  const metadata = ['-metadata', `title=${SECRETS[0]}`, '-metadata', `location=${SECRETS[1]}`];
  const input = ['-loglevel', 'error', '-y', '-f', 'lavfi', '-i', source];
  const made = spawnSync('ffmpeg', [...input, ...metadata, ...options, path]);
  assert.equal(made.status, 0, String(made.stderr ?? made.error));
  return readFileSync(path);
}

/** The hash of every frame and sample of a file, as the decoder sees them. */
function decoded(bytes: Buffer): string {
  const path = join(folder, 'decoded');
  writeFileSync(path, bytes);
  const made = spawnSync('ffmpeg', ['-loglevel', 'error', '-i', path, '-f', 'framemd5', '-']);
  assert.equal(made.status, 0, String(made.stderr ?? made.error));
  return String(made.stdout);
}

const STILL = ['-frames:v', '1'];
const H264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264'];

describe('files of an encoder', () => {
  const table: [
    name: string,
    mime: string,
    category: string,
    size: string,
    seconds: number,
    options: string[],
    found: string,
  ][] = [
    ['a.jpg', 'image/jpeg', 'post_image', '1200x628', 1, STILL, 'image/jpeg 1200x628'],
    ['a.png', 'image/png', 'post_image', '800x800', 1, STILL, 'image/png 800x800'],
    ['a.webp', 'image/webp', 'post_image', '300x250', 1, STILL, 'image/webp 300x250'],
    ['a.bmp', 'image/bmp', 'post_image', '320x50', 1, STILL, 'image/bmp 320x50'],
    ['a.gif', 'image/gif', 'post_gif', '120x80', 2, [], 'image/gif 120x80'],
    ['a.mp4', 'video/mp4', 'amplify_video', '1280x720', 3, H264, 'video/mp4 1280x720 3000 AVC'],
    [
      'fast.mp4',
      'video/mp4',
      'post_video',
      '320x180',
      1,
      [...H264, '-movflags', '+faststart'],
      'video/mp4 320x180 1000 AVC',
    ],
    [
      'pieces.mp4',
      'video/mp4',
      'post_video',
      '320x180',
      2,
      [...H264, '-movflags', '+frag_keyframe+empty_moov'],
      'video/mp4 320x180 2000 AVC',
    ],
    ['a.mov', 'video/quicktime', 'amplify_video', '720x1280', 2, H264, 'video/quicktime 720x1280 2000 AVC'],
    ['wide.mp4', 'video/mp4', 'post_video', '320x180', 1, [...H264, '-vf', 'setsar=4/3'], 'video/mp4 427x180 1000 AVC'],
    ['a.webm', 'video/webm', 'post_video', '320x180', 1, ['-c:v', 'libvpx'], 'video/webm 320x180 1000 VP8'],
  ];
  for (const [name, media_type, media_category, size, seconds, options, expected] of table) {
    test(`${name} is ${expected}`, async () => {
      const bytes = encoded(name, size, seconds, options);
      const { id } = await upload(world.sandbox, bytes, { media_type, media_category });
      await world.service.jobs.runDue();
      const { processing_info } = (await command(world.sandbox, 'STATUS', { media_id: id })).body;
      assert.equal(processing_info.state, 'succeeded', JSON.stringify(processing_info));
      const row = (await world.service.store.read((tx) => tx.uploads.find(id)))!;
      const { mime, width, height, duration_ms, codec } = row;
      assert.equal(
        [mime, `${width}x${height}`, duration_ms, codec].filter((each) => each !== null).join(' '),
        expected,
      );
      const url = (path: string) => world.service.services.media.addresses.url('sandbox', path);
      const served = await fetch(url(mediaPath(row)));
      assert.equal(served.headers.get('content-type'), mime);
      const stored = Buffer.from(await served.arrayBuffer());
      for (const text of SECRETS) assert.ok(!stored.includes(text), text);
      assert.equal(decoded(stored), decoded(bytes));
      if (row.media_type === 'IMAGE') return;
      assert.match(posterPath(row), row.media_type === 'GIF' ? /\.gif$/ : /\.jpg$/);
      const poster = await fetch(url(posterPath(row)));
      assert.equal(poster.headers.get('content-type'), row.media_type === 'GIF' ? 'image/gif' : 'image/jpeg');
      const shown = imageSize(Buffer.from(await poster.arrayBuffer()));
      assert.deepEqual([shown.width, shown.height], [width, height]);
    });
  }

  for (const [name, options, cut] of [
    ['cut.mp4', H264, 0.9],
    ['cut-fast.mp4', [...H264, '-movflags', '+faststart'], 0.9],
    ['head.webm', ['-c:v', 'libvpx'], 0.02],
  ] as const) {
    test(`cut off, as ${name}, is refused`, async () => {
      const whole = encoded(name, '320x180', 2, options);
      const bytes = whole.subarray(0, Math.floor(whole.length * cut));
      const media_type = name.endsWith('mp4') ? 'video/mp4' : 'video/webm';
      const { id } = await upload(world.sandbox, bytes, { media_type, media_category: 'post_video' });
      await world.service.jobs.runDue();
      const { processing_info } = (await command(world.sandbox, 'STATUS', { media_id: id })).body;
      assert.equal(processing_info.state, 'failed');
      assert.match(processing_info.error.message, /^(The video is truncated|Unsupported video format)$/);
    });
  }
});
