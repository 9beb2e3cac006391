import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acknowledgedIn } from '../proofs/ledger.ts';
import { DISTURBANCES, nodes } from '../proofs/nodes.ts';

/** `npm run nodes -- --rounds 100` makes it as many as anybody has time for. */
test('two nodes behind a balancer lose, repeat or halve nothing while they and Redis are killed and frozen', async () => {
  // Longer than a node may be silent before others take over what it holds.
  const ledger = await nodes({ nodes: 2, rounds: 5, kinds: DISTURBANCES, away_s: 13, seed: 20261981, say: () => {} });
  assert.ok(acknowledgedIn(ledger) > 0);
});
