import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedWindows } from '../../src/base/windows.ts';

test('a window opens with its first use and ends after its length', () => {
  const windows = fixedWindows(10);
  windows.open('a', 60, 1000).used += 1;
  assert.deepEqual(windows.open('a', 60, 1059), { used: 1, reset_s: 1060 });
  assert.deepEqual(windows.find('a', 60, 1059), { used: 1, reset_s: 1060 });
  assert.equal(windows.find('a', 60, 1060), undefined);
  assert.deepEqual(windows.open('a', 60, 1060), { used: 0, reset_s: 1120 });
  assert.equal(windows.find('b', 60, 1000), undefined);
});

test('beyond the limit the least recently used window is dropped; reading is not a use', () => {
  const windows = fixedWindows(3);
  for (const key of ['a', 'b', 'c']) windows.open(key, 60, 1000).used += 1;
  windows.open('a', 60, 1001);
  windows.find('b', 60, 1001);
  windows.open('d', 60, 1002);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => windows.find(key, 60, 1002)?.used),
    [1, undefined, 1, 0],
  );
});

test('after the clock is set back nobody waits longer than a window, and nothing is forgotten', () => {
  const windows = fixedWindows(10);
  windows.open('a', 60, 5000).used += 1;
  assert.deepEqual(windows.find('a', 60, 1400), { used: 1, reset_s: 1460 });
  assert.deepEqual(windows.open('a', 60, 1400), { used: 1, reset_s: 1460 });
  assert.deepEqual(windows.open('a', 60, 1460), { used: 0, reset_s: 1520 });
});
