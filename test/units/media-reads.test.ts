import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { isCompleteContainer } from '../../src/features/media/probe/container-boxes.ts';
import { detectMime } from '../../src/features/media/probe/detect-mime.ts';
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
