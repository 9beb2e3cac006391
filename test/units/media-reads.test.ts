import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { isCompleteContainer } from '../../src/features/media/probe/container-boxes.ts';
import { detectMime } from '../../src/features/media/probe/detect-mime.ts';
import { refusalOf, unshownCodec, type VideoSamples } from '../../src/features/media/probe/shown-formats.ts';
import { MP4 } from '../rig/tiny-media.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-media-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** How often something turns to files, and what it comes to. */
async function readsOf<T>(bytes: Uint8Array, work: (path: string) => Promise<T>): Promise<[T, number]> {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  let count = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'FSREQPROMISE') count += 1;
    },
  });
  hook.enable();
  try {
    return [await work(path), count];
  } finally {
    hook.disable();
  }
}

const ZEROS = Buffer.alloc(200_000);
const emptyBox = Buffer.from('\0\0\0\x08free', 'latin1');

describe('a file of tiny boxes is examined with few reads', () => {
  test('a picture', async () => {
    await detectMime(import.meta.filename);
    const [type, reads] = await readsOf(Buffer.concat([placeholderImage(8, 6).subarray(0, 40), ZEROS]), detectMime);
    assert.equal(type, 'image/png');
    assert.ok(reads < 10, `${reads} reads`);
  });

  test('a video', async () => {
    const boxes = Array.from({ length: 25_000 }, () => emptyBox);
    const [isWhole, reads] = await readsOf(Buffer.concat([MP4, ...boxes]), isCompleteContainer);
    assert.equal(isWhole, true);
    assert.ok(reads < 100, `${reads} reads`);
  });
});

test('a TIFF is recognized by its beginning, wherever its directory is', async () => {
  const head = Buffer.from('II*\0\x00\x00\x02\x00', 'latin1');
  assert.equal((await readsOf(Buffer.concat([head, ZEROS]), detectMime))[0], 'image/tiff');
});

test('boxes are followed across reads, to the last byte', async () => {
  for (const length of [4080, 4085, 4088, 4090, 4096, 5000]) {
    const box = Buffer.alloc(length);
    box.writeUInt32BE(length);
    box.write('free', 4, 'latin1');
    const whole = Buffer.concat([box, MP4, emptyBox, box, emptyBox]);
    assert.equal((await readsOf(whole, isCompleteContainer))[0], true, `${length}`);
    assert.equal((await readsOf(whole.subarray(0, -1), isCompleteContainer))[0], false, `${length} less one`);
  }
  const long = Buffer.from('\0\0\0\x01free\0\0\0\0\0\0\0\x10', 'latin1');
  assert.equal((await readsOf(Buffer.concat([MP4, long]), isCompleteContainer))[0], true);
  assert.equal((await readsOf(Buffer.concat([MP4, long.subarray(0, 12)]), isCompleteContainer))[0], false);
});

function codecFault(mime: string, codec: string, samples: VideoSamples): string | undefined {
  const unshown = unshownCodec(mime, codec, samples);
  return unshown && refusalOf(unshown);
}

test('a codec is accepted where browsers show it, and named where they do not', () => {
  const shown = {
    'video/mp4': ['AVC', 'AV1', 'VP9'],
    'video/quicktime': ['AVC', 'AV1', 'VP9'],
    'video/webm': ['VP8', 'VP9', 'AV1'],
  };
  const codecs = ['AVC', 'AV1', 'VP8', 'VP9', 'HEVC', 'MPEG-4 Visual', 'MPEG Video', 'ProRes', 'JPEG', 'VC-1', 'x'];
  for (const [mime, good] of Object.entries(shown)) {
    for (const codec of codecs) {
      const fault = codecFault(mime, codec, { chroma: '4:2:0', bits: 8 });
      const instead = mime === 'video/webm' ? 'VP9' : 'H.264';
      const expected = good.includes(codec) ? undefined : `Not every browser shows ${codec}: use ${instead}`;
      assert.equal(fault, expected, `${codec} in ${mime}`);
    }
  }
  for (const [chroma, bits] of [
    ['4:2:2', 8],
    ['4:4:4', 8],
    ['4:2:0', 10],
  ] as const) {
    const expected = `Not every browser shows H.264 ${chroma} with ${bits} bits: use 4:2:0 with 8 bits`;
    assert.equal(codecFault('video/mp4', 'AVC', { chroma, bits }), expected);
    assert.equal(codecFault('video/mp4', 'AV1', { chroma, bits }), undefined);
  }
  assert.equal(codecFault('video/mp4', 'AVC', { chroma: undefined, bits: undefined }), undefined);
  const withSound = (mime: string, codec: string, sound: string) =>
    codecFault(mime, codec, { chroma: '4:2:0', bits: 8, sound });
  for (const sound of ['AAC', 'MPEG Audio Layer 3', 'Opus', 'FLAC']) {
    assert.equal(withSound('video/mp4', 'AVC', sound), undefined, sound);
  }
  assert.equal(withSound('video/mp4', 'AVC', 'AC-3'), 'Not every browser plays AC-3: use AAC');
  const layer = 'Not every browser plays MPEG Audio Layer 2: use AAC';
  assert.equal(withSound('video/quicktime', 'AVC', 'MPEG Audio Layer 2'), layer);
  assert.equal(withSound('video/webm', 'VP9', 'PCM'), 'Not every browser plays PCM: use Opus');
});
