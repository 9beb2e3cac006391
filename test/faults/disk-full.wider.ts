import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillDisks } from '../proofs/disk-full.ts';
import { engine } from '../rig/databases.ts';

// The disks hold SQLite's files; it fails where nothing can be mounted, and is never skipped.
if (engine === 'sqlite') {
  test('with a full disk writes get 503, and everything recovers once there is space', async () => {
    const { refused, acknowledged } = await fillDisks({ rounds: 6, say: () => {} });
    assert.ok(refused > 0 && acknowledged > 0);
  });
}
