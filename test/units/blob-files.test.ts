import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { blobFiles } from '../../src/storage/core/blob-files.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-blobs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SEGMENTS = 20;
const SEGMENT_BYTES = 100;

describe('the segments of an upload that several callers finalize at once', () => {
  const blobs = blobFiles(join(folder, 'media'), secureRandom, folderObjects(folder, secureRandom));

  test('are complete for each of them, and make one file', async () => {
    for (let round = 0; round < 100; round += 1) {
      const id = String(round);
      await blobs.prepare(id);
      const sent: Buffer[] = [];
      for (let index = 0; index < SEGMENTS; index += 1) {
        const bytes = Buffer.alloc(SEGMENT_BYTES, index);
        sent.push(bytes);
        const incoming = await blobs.receive(once(bytes), SEGMENT_BYTES);
        await blobs.place(id, index, incoming, SEGMENTS * SEGMENT_BYTES);
      }
      const seen = await Promise.all(Array.from({ length: 8 }, (_, late) => endOf(id, late, round)));
      assert.deepEqual(new Set(seen.flat()), new Set([SEGMENTS * SEGMENT_BYTES]));
      assert.deepEqual(readFileSync(blobs.pathOf(id, 'whole')), Buffer.concat(sent));
      await blobs.remove(id);
    }
  });

  /** How many bytes one of them saw before it sealed the upload and after; each comes a step later than the one before. */
  async function endOf(id: string, late: number, round: number): Promise<number[]> {
    for (let step = 0; step < late * (round % 8); step += 1) await stat(folder);
    const before = total(await blobs.segments(id));
    await blobs.seal(id);
    const after = total(await blobs.segments(id));
    await blobs.assemble(id);
    return [before, after];
  }
});

const total = (segments: readonly { bytes: number }[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
