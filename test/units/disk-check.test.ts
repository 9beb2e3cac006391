import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { diskCheck } from '../../src/storage/core/disk-check.ts';

describe('the check of a place on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-room-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('passes where files can be written, also in a new folder, and leaves none', async () => {
    const fresh = join(folder, 'not', 'yet');
    await diskCheck(fresh)();
    assert.deepEqual(readdirSync(fresh), []);
  });

  test('rejects where no file can be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(diskCheck(join(folder, 'file'))());
    await assert.rejects(diskCheck('/proc/self')());
  });
});
