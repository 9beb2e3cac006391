import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crash } from '../proofs/crash.ts';
import { engine } from '../rig/databases.ts';

/** `npm run crash -- --kills 1000` makes it as many as anybody has time for. */
const KILLS = 5;

test(`no acknowledged write is lost, repeated or partial when the service is killed ${KILLS} times under load`, async () => {
  const { kills, acknowledged } = await crash({ kills: KILLS, database: engine, seed: 20260302, say: () => {} });
  assert.equal(kills, KILLS);
  assert.ok(acknowledged > 0);
});
