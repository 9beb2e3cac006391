import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from '../../src/base/timers.ts';
import { replyGroups } from '../../src/http/reply-groups.ts';

const turn = (): Promise<void> => new Promise(nextTurn);

test('replies of a turn are written at its end, in the order in which they were ready', async () => {
  const groups = replyGroups();
  const written: number[] = [];
  groups.requestArrived();
  groups.write(() => written.push(1));
  groups.requestArrived();
  await Promise.resolve();
  groups.write(() => written.push(2));
  assert.deepEqual(written, []);
  await turn();
  assert.deepEqual(written, [1, 2]);
});

test('a reply that is ready later is written at once', async () => {
  const groups = replyGroups();
  const written: string[] = [];
  groups.write(() => written.push('no request in this turn'));
  assert.equal(written.length, 1);
  groups.requestArrived();
  await turn();
  groups.write(() => written.push('turn is over'));
  assert.equal(written.length, 2);
});

test('a group is written when it has 64 replies', async () => {
  const groups = replyGroups();
  let written = 0;
  groups.requestArrived();
  for (let count = 0; count < 64 + 10; count += 1) groups.write(() => (written += 1));
  assert.equal(written, 64);
  await turn();
  assert.equal(written, 74);
});
