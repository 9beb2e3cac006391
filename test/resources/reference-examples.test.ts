// On SQLite: examples are recorded on it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recordExamples, workedExamplesText } from '../../build/docs/examples/record.ts';

test('the examples of the reference are up to date: run again, they get the same replies', async () => {
  const path = 'src/http/reference/generated/worked-examples.json';
  const stored = readFileSync(path, 'utf8').split('\n');
  const now = workedExamplesText(await recordExamples()).split('\n');
  for (const [index, line] of now.entries()) {
    assert.equal(stored[index], line, `${path} is stale at line ${index + 1}; run: npm run generate`);
  }
  assert.equal(stored.length, now.length);
});
