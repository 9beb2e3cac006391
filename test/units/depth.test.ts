import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeeperThan } from '../../src/base/objects.ts';

test('the depth of a JSON value', () => {
  const input: [string, number][] = [
    ['1', 0],
    ['"[[["', 0],
    ['null', 0],
    ['[]', 1],
    ['{"a":1}', 1],
    ['[1,[2,{"a":[]}]]', 4],
    ['{"a":[],"b":{"c":{}}}', 3],
  ];
  for (const [json, depth] of input) {
    const value = JSON.parse(json);
    assert.equal(isDeeperThan(value, depth), false, json);
    if (depth > 0) assert.equal(isDeeperThan(value, depth - 1), true, json);
  }
  assert.equal(isDeeperThan(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 64), true);
});
