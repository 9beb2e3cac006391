import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { coalesceChecks } from '../../src/storage/core/shared-looks.ts';

/** A look that has begun. */
interface Begun {
  end(): void;
  fail(error: Error): void;
}

let looks: Begun[];
/** Postponed beginnings, which the test lets happen. */
let postponed: (() => void)[];
let look: () => Promise<void>;
beforeEach(() => {
  looks = [];
  postponed = [];
  look = coalesceChecks(
    () => new Promise<void>((resolve, reject) => void looks.push({ end: resolve, fail: reject })),
    (begin) => void postponed.push(begin),
  );
});

/** Lets everything happen that nothing holds back. */
async function settle(): Promise<void> {
  await turn();
  for (const begin of postponed.splice(0)) begin();
  await turn();
}

/** Asks, and records under a name when it is answered. */
function ask(answered: string[], name: string): void {
  look().then(
    () => answered.push(name),
    (error: Error) => answered.push(`${name}: ${error.message}`),
  );
}

describe('looks are shared', () => {
  test('by all who ask before it begins', async () => {
    const answered: string[] = [];
    ask(answered, 'a');
    await turn();
    ask(answered, 'b');
    await settle();
    assert.equal(looks.length, 1);
    looks[0]!.end();
    await settle();
    assert.deepEqual([answered, looks.length], [['a', 'b'], 1]);
  });

  test('never by those who ask after it has begun: they are answered by the next one', async () => {
    const answered: string[] = [];
    ask(answered, 'a');
    await settle();
    ask(answered, 'b');
    ask(answered, 'c');
    await settle();
    assert.equal(looks.length, 1, 'one at a time');
    looks[0]!.end();
    await settle();
    assert.deepEqual([answered, looks.length], [['a'], 2]);
    looks[1]!.end();
    await settle();
    assert.deepEqual(answered, ['a', 'b', 'c']);
  });

  test('each waits for one look that begins after it asked, however many others ask without a pause', async () => {
    /** How many looks had begun when somebody asked, and which one answered. */
    const waits: { asked: number; answered: number }[] = [];
    const waiter = async (): Promise<void> => {
      for (let times = 0; times < 20; times++) {
        const asked = looks.length;
        await look();
        waits.push({ asked, answered: looks.length });
      }
    };
    const waiters: Promise<void>[] = [];
    for (let round = 0; round < 60; round++) {
      if (round < 10) waiters.push(waiter());
      await settle();
      looks.at(-1)!.end();
    }
    await Promise.all(waiters);
    assert.equal(waits.length, 200);
    assert.deepEqual([...new Set(waits.map(({ asked, answered }) => answered - asked))], [1]);
  });

  test('a failure is that of those who shared it; the next look begins all the same', async () => {
    const answered: string[] = [];
    ask(answered, 'a');
    ask(answered, 'b');
    await settle();
    ask(answered, 'c');
    looks[0]!.fail(new Error('no answer'));
    await settle();
    looks[1]!.end();
    await settle();
    assert.deepEqual(answered, ['a: no answer', 'b: no answer', 'c']);
    ask(answered, 'd');
    await settle();
    looks[2]!.end();
    await settle();
    assert.deepEqual(answered.at(-1), 'd');
  });
});
