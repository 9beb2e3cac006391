import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressLimiter } from '../../src/http/address-limiter.ts';
import { testClock } from '../rig/world.ts';

test('an address has a number of requests in a window, which opens with the first', () => {
  const clock = testClock();
  const counts = addressLimiter({ max: 2, window_s: 60 }, clock);
  const took = ['a', 'a', 'a', 'b', 'a'].map((address) => counts.take(address));
  assert.deepEqual(took, [undefined, undefined, 60, undefined, 60]);
  clock.advance(59);
  assert.deepEqual([counts.take('a'), counts.take('c')], [1, undefined]);
  clock.advance(1);
  assert.deepEqual([counts.take('a'), counts.take('a'), counts.take('a')], [undefined, undefined, 60]);
});

test('a subscriber has one count for all addresses of an IPv6 /64', () => {
  const counts = addressLimiter({ max: 2, window_s: 60 }, testClock());
  const took = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map((address) => counts.take(address));
  assert.deepEqual(took, [undefined, undefined, 60, undefined]);
});

test('invented addresses evict only the oldest address', () => {
  const counts = addressLimiter({ max: 1, window_s: 60 }, testClock());
  for (let count = 0; count < 100_000; count++) counts.take(String(count));
  assert.equal(counts.take('0'), 60, 'comes again, and is the latest now');
  assert.equal(counts.take('another'), undefined, 'one beyond');
  assert.deepEqual([counts.take('0'), counts.take('2'), counts.take('99999')], [60, 60, 60], 'are still counted');
  assert.equal(counts.take('1'), undefined, 'has given way');
});
