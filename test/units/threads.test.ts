import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openThread } from '../../src/base/threads.ts';
import { pause } from '../../src/base/timers.ts';
import type { answers } from './threads-inside.ts';

const thread = openThread<typeof answers>(new URL('./threads-inside.ts', import.meta.url));
after(() => thread.close());

describe('a thread', () => {
  test('answers one call after the other, in their order', async () => {
    assert.deepEqual(await Promise.all([thread.call('slow', 'a'), thread.call('fast', 'b')]), ['1 a', '2 b']);
  });

  test('transfers buffers in both directions', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const more = await thread.call('increased', bytes, [bytes.buffer]);
    assert.deepEqual([bytes.length, [...more]], [0, [2, 3, 4]]);
  });

  test('rejects with the reason of a failure, and continues', async () => {
    await assert.rejects(thread.call('failing', 'the reason'), { message: 'the reason' });
    await assert.rejects(thread.call('fast', (() => 1) as unknown as string), { name: 'DataCloneError' });
    assert.match(await thread.call('fast', 'c'), / c$/);
  });

  test('does not see the environment of its process', async () => {
    process.env.BARKER_MASTER_KEY = 'not for threads';
    const other = openThread<typeof answers>(new URL('./threads-inside.ts', import.meta.url));
    try {
      const environment = await other.call('environment', undefined);
      assert.equal(environment.PATH, process.env.PATH);
      assert.deepEqual(
        Object.keys(environment).filter((name) => /^BARKER|KEY|SECRET|DATABASE/.test(name)),
        [],
      );
    } finally {
      delete process.env.BARKER_MASTER_KEY;
      await other.close();
    }
  });

  test('is replaced after a crash, and calls under way are rejected', async () => {
    await assert.rejects(thread.call('crash', 7), { message: /ended with 7/ });
    assert.equal(await thread.call('fast', 'd'), '1 d');
  });

  test('finishes calls under way before it closes, and accepts no more', async () => {
    const other = openThread<typeof answers>(new URL('./threads-inside.ts', import.meta.url));
    const last = other.call('slow', 'e');
    await other.close();
    assert.equal(await last, '1 e');
    await assert.rejects(other.call('fast', 'f'), { message: /is closed/ });
  });

  test('ends when it has been idle, and starts again with the next call', async () => {
    const other = openThread<typeof answers>(new URL('./threads-inside.ts', import.meta.url), { idle_ms: 50 });
    // What it counts shows whether it is the same thread.
    const counted = async () => Number.parseInt(await other.call('fast', 'g'), 10);
    try {
      assert.deepEqual([await counted(), await counted()], [1, 2]);
      const restarted = async () => {
        await pause(100);
        return (await counted()) === 1;
      };
      while (!(await restarted()));
      assert.equal(await Promise.all([other.call('slow', 'h'), counted()]).then(([slow]) => slow), '2 h');
    } finally {
      await other.close();
    }
  });

  test('stays when it may not end', async () => {
    let asked = 0;
    const mayEnd = () => {
      asked += 1;
      return false;
    };
    const other = openThread<typeof answers>(new URL('./threads-inside.ts', import.meta.url), { idle_ms: 20, mayEnd });
    try {
      assert.equal(await other.call('fast', 'i'), '1 i');
      while (asked === 0) await pause(20);
      await pause(50);
      assert.equal(await other.call('fast', 'j'), '2 j');
    } finally {
      await other.close();
    }
  });
});
