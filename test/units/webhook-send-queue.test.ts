import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextTurn } from '../../src/base/timers.ts';
import type { SendResult } from '../../src/contract/services/sending.ts';
import type { Receiver } from '../../src/features/activity/webhooks/receivers.ts';
import { SendQueue } from '../../src/features/activity/webhooks/send-queue.ts';
import { keyOf } from '../../src/features/activity/webhooks/signing.ts';

const key = keyOf(Buffer.from('consumer-secret-example'));
const receiver: Receiver = {
  id: '1',
  url: 'https://a.example/',
  state: 'active',
  consumerKey: key,
  signingKeys: () => [key],
};
const FINE: SendResult = {
  outcome: 'answered',
  status: 200,
  headers: {},
  body: new Uint8Array(),
  isCut: false,
  duration_ms: 1,
  addresses: [],
};

/** A lane to a receiver that answers when it is told to. */
function slowLane(): {
  readonly lane: SendQueue;
  readonly answers: ((came: SendResult) => void)[];
  readonly ended: string[];
} {
  const answers: ((came: SendResult) => void)[] = [];
  const lane = new SendQueue('1', {
    receivers: { find: async () => receiver, findNow: async () => receiver, onChange: () => undefined },
    sender: {
      send: () => new Promise((resolve) => answers.push(resolve)),
      urlError: () => undefined,
      close: async () => undefined,
    },
    nextTransactionId: () => 'x',
    now_s: () => 0,
    isPaused: () => false,
    onError: (error) => assert.fail(String(error)),
    onRoom: () => undefined,
  });
  const ended: string[] = [];
  for (let id = 0; id < 30; id += 1) {
    const end = (came: SendResult | string): void =>
      void ended.push(`${id} ${typeof came === 'string' ? came : came.outcome}`);
    lane.add({ id: String(id), body: Buffer.from('{}'), onEnd: end });
  }
  return { lane, answers, ended };
}

const settled = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

describe('a queue with a slow receiver', () => {
  test('has ten under way, and keeps the first of those that wait', async () => {
    const { lane, answers, ended } = slowLane();
    await settled();
    assert.deepEqual([answers.length, lane.size, lane.removed], [10, 20, 10]);
    lane.truncate(5);
    const shed = Array.from({ length: 15 }, (_, index) => `${15 + index} spilled`);
    assert.deepEqual([ended, lane.size, lane.removed], [shed, 5, 25]);
  });

  test('continues with those that it kept', async () => {
    const { lane, answers, ended } = slowLane();
    await settled();
    lane.truncate(5);
    ended.length = 0;
    while (answers.length > 0) {
      answers.shift()!(FINE);
      await settled();
    }
    assert.deepEqual(
      ended,
      Array.from({ length: 15 }, (_, id) => `${id} answered`),
    );
    assert.deepEqual([lane.size, lane.removed], [0, 30]);
  });
});
