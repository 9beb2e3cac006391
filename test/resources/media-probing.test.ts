// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { BMP, GIF, JPEG, MOV, MP4, TIFF, WEBM, WEBP } from '../rig/tiny-media.ts';
import { command, UPLOAD, upload } from '../rig/uploading.ts';
import { openWorld, type World } from '../rig/world.ts';

const PNG = placeholderImage(30, 20);

let world: World;
before(async () => {
  world = await openWorld({
    flags: {
      media_processing_s: 0,
      media_pixels_max: 3000,
      media_gif_pixels_max: 1000,
      media_amplify_duration_max_s: 1,
    },
  });
});
after(() => world.close());

/** What comes of a file in the end: its measures, or why it failed. */
async function fateOf(bytes: Buffer, media_type: string, media_category: string): Promise<string> {
  const ended = await upload(world.sandbox, bytes, { media_type, media_category });
  if (ended.status === 400) {
    assert.equal(ended.body.request, UPLOAD);
    const again = await command(world.sandbox, 'FINALIZE', { media_id: ended.id });
    assert.deepEqual(again.body, ended.body);
    const [, reason] = /^The media is not valid: (.*)\.$/.exec(ended.body.error)!;
    return reason!;
  }
  await world.service.jobs.runDue();
  const { processing_info } = (await command(world.sandbox, 'STATUS', { media_id: ended.id })).body;
  if (processing_info.state === 'failed') {
    assert.equal(ended.status, 200);
    const { code, name, message } = processing_info.error;
    assert.deepEqual([code, name], [1, 'InvalidMedia']);
    return message;
  }
  const row = (await world.service.store.read((tx) => tx.uploads.find(ended.id)))!;
  return [row.mime, `${row.width}x${row.height}`, row.duration_ms, row.codec].filter((each) => each !== null).join(' ');
}

/** The same JPEG, shown on its side: what cameras write beside the picture. */
const TURNED_JPEG = Buffer.concat([
  JPEG.subarray(0, 2),
  Buffer.from('ffe1002245786966000049492a00080000000100120103000100000006000000000000000000', 'hex').subarray(0, 36),
  JPEG.subarray(2),
]);

/** The same MP4, turned by its track header. */
function turned(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf('tkhd') + 44;
  for (const [index, value] of [0, 65_536, 0, -65_536, 0].entries()) copy.writeInt32BE(value, at + 4 * index);
  return copy;
}

/** The same MP4 with pixels a quarter wider than high. */
function wide(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf('pasp');
  copy.writeUInt32BE(5, at + 4);
  copy.writeUInt32BE(4, at + 8);
  return copy;
}

/** A picture that says that it has other sides. */
function sized(width: number, height: number): Buffer {
  const copy = Buffer.from(PNG);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  return copy;
}

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');
const PAGE = Buffer.from('<!doctype html><script>alert(1)</script>');
const without = (bytes: Buffer, count: number): Buffer => bytes.subarray(0, bytes.length - count);

describe('files are identified by their content', () => {
  const table: [what: string, bytes: Buffer, type: string, category: string, fate: string][] = [
    ['a PNG', PNG, 'image/png', 'post_image', 'image/png 30x20'],
    ['a JPEG', JPEG, 'image/jpeg', 'post_image', 'image/jpeg 32x24'],
    ['a JPEG on its side', TURNED_JPEG, 'image/jpeg', 'post_image', 'image/jpeg 24x32'],
    ['a WebP', WEBP, 'image/webp', 'post_image', 'image/webp 32x24'],
    ['a BMP', BMP, 'image/bmp', 'post_image', 'image/bmp 8x6'],
    ['a TIFF', TIFF, 'image/tiff', 'post_image', 'Not every browser shows TIFF: use JPEG or PNG'],
    ['a GIF', GIF, 'image/gif', 'post_gif', 'image/gif 16x12'],
    ['a GIF as an image', GIF, 'image/gif', 'post_image', 'image/gif 16x12'],
    ['an MP4', MP4, 'video/mp4', 'post_video', 'video/mp4 64x36 1200 AVC'],
    ['an MP4 on its side', turned(MP4), 'video/mp4', 'post_video', 'video/mp4 36x64 1200 AVC'],
    ['a MOV', MOV, 'video/quicktime', 'post_video', 'video/quicktime 64x36 1200 AVC'],
    ['a MOV that is called MP4', MOV, 'video/mp4', 'post_video', 'video/quicktime 64x36 1200 AVC'],
    ['a WebM', WEBM, 'video/webm', 'post_video', 'video/webm 64x36 1000 VP8'],
    ['an MP4 with wide pixels', wide(MP4), 'video/mp4', 'post_video', 'video/mp4 80x36 1200 AVC'],
    ['a picture with a page behind it', Buffer.concat([PNG, PAGE]), 'image/png', 'post_image', 'image/png 30x20'],

    ['a PNG called JPEG', PNG, 'image/jpeg', 'post_image', 'media_type is image/jpeg, but the file is image/png'],
    ['a WebM called MP4', WEBM, 'video/mp4', 'post_video', 'media_type is video/mp4, but the file is video/webm'],
    ['a WebM to be promoted', WEBM, 'video/mp4', 'amplify_video', 'Unsupported video format'],
    ['a video called an image', MP4, 'image/png', 'post_image', 'Unsupported image format'],
    ['an image called a video', PNG, 'video/mp4', 'post_video', 'Unsupported video format'],
    ['an image called a GIF', PNG, 'image/gif', 'post_gif', 'Unsupported GIF format'],
    ['SVG with a script', SVG, 'image/png', 'post_image', 'Unsupported image format'],
    ['a page called a GIF', PAGE, 'image/gif', 'post_gif', 'Unsupported GIF format'],
    ['a page called a video', PAGE, 'video/mp4', 'post_video', 'Unsupported video format'],
    ['one byte', PNG.subarray(0, 1), 'image/png', 'post_image', 'Unsupported image format'],

    ['a PNG without its end', without(PNG, 4), 'image/png', 'post_image', 'The image is truncated'],
    ['a PNG cut in the middle', PNG.subarray(0, 45), 'image/png', 'post_image', 'The image is truncated'],
    ['a JPEG without its end', without(JPEG, 2), 'image/jpeg', 'post_image', 'The image is truncated'],
    ['the head of a JPEG', JPEG.subarray(0, 60), 'image/jpeg', 'post_image', 'The image is truncated'],
    ['a WebP cut off', without(WEBP, 10), 'image/webp', 'post_image', 'The image is truncated'],
    ['a BMP cut off', without(BMP, 10), 'image/bmp', 'post_image', 'The image is truncated'],
    ['a TIFF cut off', TIFF.subarray(0, 200), 'image/tiff', 'post_image', 'Unsupported image format'],
    ['a GIF without its end', without(GIF, 1), 'image/gif', 'post_gif', 'The image is truncated'],
    ['an MP4 cut off', without(MP4, 1), 'video/mp4', 'post_video', 'The video is truncated'],
    ['an MP4 with more behind', Buffer.concat([MP4, PAGE]), 'video/mp4', 'post_video', 'The video is truncated'],
    [
      'an MP4 without index',
      Buffer.from(MP4.toString('latin1').replace('moov', 'free'), 'latin1'),
      'video/mp4',
      'post_video',
      'The video is truncated',
    ],
    ['the head of a WebM', WEBM.subarray(0, 60), 'video/webm', 'post_video', 'Unsupported video format'],

    ['a bomb of pixels', sized(60_000, 60_000), 'image/png', 'post_image', '60000x60000 is more than 3000 pixels'],
    ['a PNG of no pixels', sized(0, 9), 'image/png', 'post_image', 'The file has no picture'],
    ['a GIF of many frames', manyFrames(6), 'image/gif', 'post_gif', '6 frames of 16x12 are more than 1000 pixels'],
    ['a long video to be promoted', MP4, 'video/mp4', 'amplify_video', 'The video is longer than 1 seconds'],
  ];
  for (const [what, bytes, type, category, fate] of table) {
    test(`${what}: ${fate}`, async () => {
      assert.equal(await fateOf(bytes, type, category), fate);
    });
  }
});

describe('a video that not every browser shows fails, and says which codec that is', () => {
  const instead = (name: string) => `Not every browser shows ${name}: use H.264`;
  const table: [type: string, codec: string, fate: string][] = [
    ['video/mp4', 'av01', 'video/mp4 64x36 1200 AV1'],
    ['video/mp4', 'vp09', 'video/mp4 64x36 1200 VP9'],
    ['video/mp4', 'hvc1', instead('HEVC')],
    ['video/mp4', 'hev1', instead('HEVC')],
    ['video/mp4', 'mp4v', instead('MPEG-4 Visual')],
    ['video/quicktime', 'hvc1', instead('HEVC')],
    ['video/quicktime', 'apch', instead('ProRes')],
    ['video/quicktime', 'apcn', instead('ProRes')],
    ['video/quicktime', 'jpeg', instead('JPEG')],
    ['video/webm', 'V_VP9', 'video/webm 64x36 1000 VP9'],
    ['video/webm', 'V_AV1', 'video/webm 64x36 1000 AV1'],
  ];
  for (const [type, codec, fate] of table) {
    test(`${codec} in ${type}: ${fate}`, async () => {
      const [bytes, own] = {
        'video/mp4': [MP4, 'avc1'],
        'video/quicktime': [MOV, 'avc1'],
        'video/webm': [WEBM, 'V_VP8'],
      }[type] as [Buffer, string];
      const copy = Buffer.from(bytes);
      // The first one in an MP4 is its brand.
      copy.write(codec, copy.lastIndexOf(own), 'latin1');
      if (copy.includes('avcC')) copy.write('free', copy.indexOf('avcC'), 'latin1');
      assert.equal(await fateOf(copy, type, 'post_video'), fate);
    });
  }

  test('and so does a transport stream', async () => {
    const packets = Array.from({ length: 8 }, () => Buffer.concat([Buffer.from('471fff10', 'hex'), Buffer.alloc(184)]));
    const fate = await fateOf(Buffer.concat(packets), 'video/mp2t', 'post_video');
    assert.equal(fate, 'Not every browser shows MPEG transport streams: use MP4');
  });
});

/** The GIF with its first frame so often. */
function manyFrames(count: number): Buffer {
  const head = 13 + 3 * 2 ** ((GIF[10]! & 7) + 1);
  const image = GIF.indexOf(0x2c, head);
  let end = image + 11 + (GIF[image + 9]! & 0x80 ? 3 * 2 ** ((GIF[image + 9]! & 7) + 1) : 0);
  while (GIF[end] !== 0) end += 1 + GIF[end]!;
  const frame = GIF.subarray(image, end + 1);
  return Buffer.concat([GIF.subarray(0, head), ...Array.from({ length: count }, () => frame), Buffer.from([0x3b])]);
}
