import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generatedSchema } from '../../build/docs/generated-schema.ts';

test('the types of the tables follow from the migrations and the declarations', () => {
  const stored = readFileSync('src/storage/generated/schema.ts', 'utf8');
  assert.ok(stored === generatedSchema(), 'src/storage/generated/schema.ts is stale; run: npm run generate');
});
