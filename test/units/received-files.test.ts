import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { TooManyBytes } from '../../src/contract/services/received-files.ts';
import { receivedFiles } from '../../src/storage/core/received-files.ts';

const BYTES = Buffer.from('some bytes of a file');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'received-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function receive({ isHashed = true, bytes_max = BYTES.length } = {}) {
  const files = receivedFiles(folder, secureRandom, { isHashed, sharedBy: undefined });
  // In two chunks.
  return files.receive(
    Readable.from([BYTES.subarray(0, 7), BYTES.subarray(7)].map((each) => Buffer.from(each))),
    bytes_max,
  );
}

describe('a received file', () => {
  test('is stored, counted and hashed', async () => {
    const { place, bytes, sha256 } = await receive();
    assert.deepEqual(readFileSync(place), BYTES);
    assert.equal(bytes, BYTES.length);
    assert.equal(sha256, hash('sha256', BYTES));
  });

  test('is not hashed where nobody asks for it', async () => {
    assert.equal((await receive({ isHashed: false })).sha256, undefined);
  });

  test('that is larger than allowed leaves nothing', async () => {
    await assert.rejects(receive({ bytes_max: BYTES.length - 1 }), TooManyBytes);
    assert.deepEqual(readdirSync(folder), []);
  });
});
