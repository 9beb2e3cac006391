import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backUps } from '../proofs/backups.ts';

/** `npm run backups -- --rounds 20` makes as many as anybody has time for. */
for (const database of ['sqlite', 'postgres'] as const) {
  test(`a backup of ${database} under load contains what was acknowledged, and restores it exactly`, async () => {
    const { acknowledged, compared } = await backUps({ rounds: 1, database, seed: 20260302, say: () => {} });
    assert.ok(acknowledged > 0 && compared > 0);
  });
}
