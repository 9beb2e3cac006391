import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseByteRange } from '../../src/http/media-routes.ts';

describe('the range of 100 bytes that a header asks for', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['bytes=0-9', [0, 10]],
    ['Bytes= 0-9 ', [0, 10]],
    ['bytes=10-', [10, 100]],
    ['bytes=99-99', [99, 100]],
    ['bytes=0-1000', [0, 100]],
    ['bytes=-5', [95, 100]],
    ['bytes=-1000', [0, 100]],
    ['bytes=-0', 'beyond'],
    ['bytes=100-', 'beyond'],
    ['bytes=100-200', 'beyond'],
    ['bytes=9-0', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['bytes=a-b', undefined],
    ['items=0-9', undefined],
    ['', undefined],
  ] as const) {
    test(`${JSON.stringify(header)}: ${expected ?? 'all'}`, () => {
      const found = parseByteRange(header, 100);
      assert.deepEqual(typeof found === 'object' ? [found.start, found.end] : found, expected);
    });
  }

  test('of nothing, there is no range', () => {
    assert.equal(parseByteRange('bytes=0-', 0), 'beyond');
    assert.equal(parseByteRange('bytes=-1', 0), 'beyond');
  });
});
