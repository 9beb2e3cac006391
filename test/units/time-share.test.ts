import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeShare } from '../../src/dev/signatures/time-share.ts';

/** A share of a tenth with a burst of 100 ms, and its clock. */
function tenth() {
  let now_ms = 0;
  const share = timeShare(0.1, 100, () => now_ms);
  const pass = (ms: number): void => {
    now_ms += ms;
  };
  return { pass, work: (ms: number) => share.spend(() => pass(ms)), isLeft: () => share.isLeft() };
}

test('work is allowed until the burst is used up, then again when a tenth of the time has paid for it', () => {
  const { pass, work, isLeft } = tenth();
  assert.equal(isLeft(), true);
  work(60);
  assert.equal(isLeft(), true);
  work(60);
  assert.equal(isLeft(), false);
  pass(70);
  assert.equal(isLeft(), false);
  pass(20);
  assert.equal(isLeft(), true);
});

test('no more than the burst is saved up', () => {
  const { pass, work, isLeft } = tenth();
  pass(1_000_000);
  assert.equal(isLeft(), true);
  work(120);
  assert.equal(isLeft(), false);
});

test('over a long time, work gets its share', () => {
  const { pass, work, isLeft } = tenth();
  let worked_ms = 0;
  for (let round = 0; round < 10_000; round++) {
    pass(9);
    if (!isLeft()) continue;
    work(5);
    worked_ms += 5;
  }
  const whole_ms = 90_000 + worked_ms;
  assert.ok(Math.abs(worked_ms - (whole_ms / 10 + 100)) <= 10, `${worked_ms} ms of ${whole_ms} ms`);
});

test('work that fails is paid for too, and its error is passed on', () => {
  let now_ms = 0;
  const share = timeShare(0.1, 100, () => now_ms);
  const fail = (): never => {
    now_ms += 150;
    throw new Error('no');
  };
  assert.throws(() => share.spend(fail), /^Error: no$/);
  assert.equal(share.isLeft(), false);
});
