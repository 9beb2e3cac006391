import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acknowledgedIn } from '../proofs/ledger.ts';
import { nodes } from '../proofs/nodes.ts';

/** `npm run nodes -- --failover` disturbs the nodes too. */
test('two nodes answer with 503 while a standby takes the place of PostgreSQL, and nothing that was acknowledged is lost', async () => {
  const ledger = await nodes({ nodes: 2, rounds: 1, kinds: [], away_s: 0, failsOver: true, seed: 1, say: () => {} });
  assert.ok(ledger.unanswered.length > 0, 'nobody noticed');
  assert.deepEqual(new Set(ledger.unanswered), new Set(['503']));
  assert.ok(acknowledgedIn(ledger) > 0);
});
