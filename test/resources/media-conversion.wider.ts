// On either database: files lie beside it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { mediaPath, posterPath } from '../../src/contract/services/media.ts';
import type { Upload } from '../../src/contract/store/uploads.ts';
import { command, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const FLAGS = { media_processing_s: 0, rate_limits: 'off' };
const folder = mkdtempSync(join(tmpdir(), 'barker-converted-'));
/** One with ffmpeg, and one without. */
let world: World;
let without: World;
before(async () => {
  world = await openWorld({ flags: { ...FLAGS, ffmpeg_program: 'ffmpeg' } });
  without = await openWorld({ flags: FLAGS });
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
  await without.close();
});

/** What must not be served of the metadata: a name and a position. */
const SECRETS = ['Ada Lovelace', '+48.8584+002.2945/'];
const MIMES: Readonly<Record<string, string>> = {
  ...{ mp4: 'video/mp4', mov: 'video/quicktime', ts: 'video/mp2t', tiff: 'image/tiff' },
};

function ffmpeg(args: readonly string[]): string {
  const made = spawnSync('ffmpeg', ['-hide_banner', '-nostats', '-y', ...args], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr ?? String(made.error));
  return made.stderr;
}

/** What an encoder makes of two seconds of a test picture and a tone. */
function encoded(name: string, options: readonly string[], size = '320x180'): Buffer {
  const path = join(folder, name);
  const picture = ['-f', 'lavfi', '-i', `testsrc=duration=2:size=${size}:rate=10`];
  const sound = /tiff$/.test(name) ? [] : ['-f', 'lavfi', '-i', 'sine=duration=2'];
  const metadata = ['-metadata', `title=${SECRETS[0]}`, '-metadata', `location=${SECRETS[1]}`];
  ffmpeg(['-loglevel', 'error', ...picture, ...sound, ...metadata, ...options, path]);
  return readFileSync(path);
}

/** The same MP4, turned by the header of its first track. */
function turned(bytes: Buffer): Buffer {
  const at = bytes.indexOf('tkhd') + 44;
  for (const [index, value] of [0, 65_536, 0, -65_536, 0].entries()) bytes.writeInt32BE(value, at + 4 * index);
  return bytes;
}

/** The same TIFF on its side: a directory with an orientation, at the end of the file, takes the place of its own. */
function onItsSide(bytes: Buffer): Buffer {
  const at = bytes.readUInt32LE(4);
  const entries = Array.from({ length: bytes.readUInt16LE(at) }, (_, index) =>
    bytes.subarray(at + 2 + 12 * index, at + 14 + 12 * index),
  );
  entries.push(Buffer.from('120103000100000006000000', 'hex'));
  entries.sort((a, b) => a.readUInt16LE(0) - b.readUInt16LE(0));
  const [head, count] = [Buffer.from(bytes.subarray(0, 8)), Buffer.alloc(2)];
  head.writeUInt32LE(bytes.length, 4);
  count.writeUInt16LE(entries.length);
  return Buffer.concat([head, bytes.subarray(8), count, ...entries, Buffer.alloc(4)]);
}

/** An upload that was processed, and the message if it failed. */
async function processed(where: World, bytes: Buffer, name: string): Promise<[row: Upload, fault: string | undefined]> {
  const media_type = MIMES[name.split('.')[1]!]!;
  const media_category = media_type.startsWith('image') ? 'post_image' : 'post_video';
  const { id } = await upload(where.sandbox, bytes, { media_type, media_category });
  await where.service.jobs.runDue();
  const { processing_info } = (await command(where.sandbox, 'STATUS', { media_id: id })).body;
  return [(await where.service.store.read((tx) => tx.uploads.find(id)))!, processing_info.error?.message];
}

async function served(path: string): Promise<Buffer> {
  const reply = await fetch(world.service.services.media.addresses.url('sandbox', path));
  return Buffer.from(await reply.arrayBuffer());
}

/** How alike two pictures or videos are to people, 0 to 1. */
function likeness(source: Buffer, result: Buffer, size: string): number {
  const paths = [source, result].map((bytes, index) => {
    const path = join(folder, `compared-${index}`);
    writeFileSync(path, bytes);
    return path;
  });
  const same = `scale=${size},setsar=1,format=yuv420p`;
  const graph = `[0:v]${same}[a];[1:v]${same}[b];[a][b]ssim`;
  const told = ffmpeg(['-i', paths[0]!, '-i', paths[1]!, '-lavfi', graph, '-f', 'null', '-']);
  return Number(/All:([\d.]+)/.exec(told)![1]);
}

const H264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
const HEVC = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-pix_fmt'];

describe('a video', () => {
  const table: [name: string, options: string[], refusal: string, size?: string, change?: (bytes: Buffer) => Buffer][] =
    [
      ['hevc.mp4', [...HEVC, 'yuv420p'], 'shows HEVC: use H.264'],
      ['hevc10.mov', [...HEVC, 'yuv420p10le', '-tag:v', 'hvc1'], 'shows HEVC: use H.264'],
      ['wide.mp4', [...HEVC, 'yuv420p', '-vf', 'setsar=4/3'], 'shows HEVC: use H.264', '428x180'],
      ['turned.mp4', [...HEVC, 'yuv420p'], 'shows HEVC: use H.264', '180x320', turned],
      ['large.mp4', ['-c:v', 'mpeg4', '-s', '2560x1440'], 'shows MPEG-4 Visual: use H.264', '1920x1080'],
      ['odd.mov', ['-c:v', 'mjpeg', '-s', '101x75'], 'shows JPEG: use H.264', '134x76'],
      ['mpeg4.mp4', ['-c:v', 'mpeg4'], 'shows MPEG-4 Visual: use H.264'],
      ['prores.mov', ['-c:v', 'prores'], 'shows ProRes: use H.264'],
      ['444.mp4', ['-c:v', 'libx264', '-pix_fmt', 'yuv444p'], 'shows H.264 4:4:4 with 8 bits: use 4:2:0 with 8 bits'],
      [
        '10.mp4',
        ['-c:v', 'libx264', '-pix_fmt', 'yuv420p10le'],
        'shows H.264 4:2:0 with 10 bits: use 4:2:0 with 8 bits',
      ],
      ['h264.ts', H264, 'shows MPEG transport streams: use MP4'],
      ['mpeg2.ts', ['-c:v', 'mpeg2video', '-c:a', 'mp2'], 'shows MPEG transport streams: use MP4'],
      ['pcm.mov', [...H264, '-c:a', 'pcm_s16le'], 'plays PCM: use AAC'],
      ['ac3.mp4', [...H264, '-c:a', 'ac3'], 'plays AC-3: use AAC'],
      ['layer2.mp4', [...H264, '-c:a', 'mp2'], 'plays MPEG Audio Layer 2: use AAC'],
      ['silent.mp4', ['-c:v', 'mpeg4', '-an'], 'shows MPEG-4 Visual: use H.264'],
    ];
  for (const [name, options, refusal, size = '320x180', change = (bytes: Buffer) => bytes] of table) {
    test(`${name} is converted, and refused without ffmpeg: Not every browser ${refusal}`, async () => {
      const bytes = change(encoded(name, options));
      assert.equal((await processed(without, bytes, name))[1], `Not every browser ${refusal}`);
      const [row, fault] = await processed(world, bytes, name);
      assert.equal(fault, undefined);
      assert.deepEqual([row.mime, row.codec, `${row.width}x${row.height}`], ['video/mp4', 'AVC', size]);
      assert.ok(Math.abs(row.duration_ms! - 2000) <= 200, `${row.duration_ms}`);
      const stored = await served(mediaPath(row));
      assert.equal(stored.length, row.bytes);
      assert.ok(stored.indexOf('moov') < stored.indexOf('mdat'), 'playback begins before all of it has arrived');
      for (const text of SECRETS) assert.ok(!stored.includes(text), text);
      assert.deepEqual(streamsOf(stored), ['h264 High yuv420p 1:1', ...(name === 'silent.mp4' ? [] : ['aac'])]);
      assert.ok(likeness(bytes, stored, size.replace('x', ':')) > 0.9);
      assert.deepEqual([...(await served(posterPath(row))).subarray(0, 2)], [0xff, 0xd8]);
      assert.deepEqual(readdirSync(join(world.place.folder, 'media', 'incoming')), []);
    });
  }

  test('that says what it is and has no pictures is refused', async () => {
    const bytes = encoded('hostile.mp4', [...HEVC, 'yuv420p', '-movflags', '+faststart']);
    bytes.fill(0, bytes.indexOf('mdat') + 4);
    const [row, fault] = await processed(world, bytes, 'hostile.mp4');
    assert.deepEqual([row.state, fault], ['failed', 'HEVC could not be converted: use H.264']);
    assert.deepEqual(readdirSync(join(world.place.folder, 'media', 'incoming')), []);
  });
});

/** The streams of a file in short. */
function streamsOf(bytes: Buffer): string[] {
  const path = join(folder, 'probed.mp4');
  writeFileSync(path, bytes);
  const options = ['-loglevel', 'error', '-show_streams', '-of', 'json', path];
  const { streams } = JSON.parse(spawnSync('ffprobe', options, { encoding: 'utf8' }).stdout);
  return streams.map(
    (each: {
      codec_name: string;
      codec_type: string;
      profile: string;
      pix_fmt: string;
      sample_aspect_ratio: string;
    }) =>
      each.codec_type === 'video'
        ? `${each.codec_name} ${each.profile} ${each.pix_fmt} ${each.sample_aspect_ratio}`
        : each.codec_name,
  );
}

describe('a TIFF', () => {
  const table: [name: string, options: string[], size: string, change?: (bytes: Buffer) => Buffer][] = [
    ['rgb.tiff', [], '320x180'],
    ['packed.tiff', ['-compression_algo', 'lzw'], '320x180'],
    ['grey.tiff', ['-pix_fmt', 'gray'], '320x180'],
    ['deep.tiff', ['-pix_fmt', 'rgb48le'], '320x180'],
    ['clear.tiff', ['-pix_fmt', 'rgba'], '320x180'],
    ['turned.tiff', [], '180x320', onItsSide],
  ];
  for (const [name, options, size, change = (bytes: Buffer) => bytes] of table) {
    test(`${name} becomes a PNG, and is refused without ffmpeg`, async () => {
      const bytes = change(encoded(name, ['-frames:v', '1', ...options]));
      const { body } = await upload(without.sandbox, bytes, { media_type: 'image/tiff' });
      assert.equal(body.error, 'The media is not valid: Not every browser shows TIFF: use JPEG or PNG.');
      const [row, fault] = await processed(world, bytes, name);
      assert.equal(fault, undefined);
      assert.deepEqual([row.mime, `${row.width}x${row.height}`], ['image/png', size]);
      const stored = await served(mediaPath(row));
      assert.equal(stored.length, row.bytes);
      if (size === '320x180') assert.ok(likeness(bytes, stored, '320:180') > 0.99);
    });
  }

  test('that is cut off is refused', async () => {
    const bytes = encoded('cut.tiff', ['-frames:v', '1']);
    const cut = Buffer.concat([bytes.subarray(0, 8), bytes.subarray(bytes.length - 200)]);
    cut.writeUInt32LE(Math.max(8, cut.length - (bytes.length - bytes.readUInt32LE(4))), 4);
    const { status } = await upload(world.sandbox, cut, { media_type: 'image/tiff' });
    assert.equal(status, 400);
  });
});
