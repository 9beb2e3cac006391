import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine } from '../rig/databases.ts';
import { isFull } from '../rig/sampling.ts';
import { fuzz } from './fuzz.ts';

/** So long it runs for each seed, when it has not sent everything before. */
const SECONDS_MAX = 10;
/** Another one every day, so that what is tried grows with time. */
const TODAY = Math.floor(Date.now() / 86_400_000);

for (const seed of isFull ? [1, TODAY] : [TODAY]) {
  test(`hostile requests, chosen by seed ${seed}, bring about nothing that should not be`, async () => {
    const lines: string[] = [];
    const result = await fuzz({
      seed,
      from: 0,
      requests: 15_000,
      only: undefined,
      lanes: 24,
      database: engine,
      memory_bytes_max: 1_500_000_000,
      seconds_max: SECONDS_MAX,
      say: (line) => lines.push(line),
    });
    assert.ok(result.isGood, lines.join('\n'));
  });
}
