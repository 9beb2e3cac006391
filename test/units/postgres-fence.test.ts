import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Changes } from '../../src/contract/store/cache-changes.ts';
import { type PostgresFence, postgresFence } from '../../src/storage/core/postgres-fence.ts';
import type { Line } from '../../src/storage/core/postgres-line.ts';
import { knownStatements, type Message } from '../../src/storage/core/postgres-statements.ts';

/** What the database answers to a look, or how it fails. */
type Answer = {
  readonly now_ms: number;
  readonly tags?: string[];
  readonly server?: string;
  readonly isStandby?: boolean;
};

let answers: (Answer | Error)[];
/** The snapshots that looks were compared with. */
let compared: unknown[];
let opened: { isBroken: boolean; released: number }[];
let isUsable: boolean;
let fence: PostgresFence;
beforeEach(() => {
  answers = [];
  compared = [];
  opened = [];
  isUsable = true;
  const acquire = async (): Promise<Line> => {
    const state = {
      isBroken: false,
      released: 0,
      async ask({ values }: Message) {
        compared.push(values[0]);
        const answer = answers.shift()!;
        if (answer instanceof Error) throw answer;
        return [{ tags: [], server: 'one', isStandby: false, ...answer, snapshot: `at ${answer.now_ms}` }];
      },
      release() {
        state.released += 1;
      },
    };
    opened.push(state);
    return state as unknown as Line;
  };
  fence = postgresFence({
    connections: { acquire, close: async () => {} },
    known: knownStatements(),
    assertHeld() {
      if (!isUsable) throw new StoreUnavailable(new Error('the lock is lost'), { isOutage: true });
    },
    mapFailure: (error) => error,
  });
});

/** What a look applied: tags, everything, or nothing. */
async function look(answer: Answer | Error): Promise<string> {
  answers.push(answer);
  let applied = 'nothing';
  await fence.look('me', (changes: Changes) => {
    applied = typeof changes === 'string' ? changes : [...changes].join(' ');
  });
  return applied;
}

describe('a look', () => {
  test('drops everything at first, and then what was announced since the last one', async () => {
    assert.equal(await look({ now_ms: 1000, tags: ['token:1'] }), 'everything');
    assert.equal(await look({ now_ms: 1500 }), 'nothing');
    assert.equal(await look({ now_ms: 2000, tags: ['token:1', 'row:x:2'] }), 'token:1 row:x:2');
    assert.deepEqual(compared, [null, 'at 1000', 'at 1500']);
    assert.equal(opened.length, 1);
  });

  const doubtful: readonly [what: string, answer: Answer, applied: string][] = [
    ['a minute after the last one is certain', { now_ms: 61_000 }, 'nothing'],
    ['later than a minute after it is not', { now_ms: 61_001 }, 'everything'],
    ['at the same millisecond is certain', { now_ms: 1000 }, 'nothing'],
    ['after the clock was set back is not', { now_ms: 999 }, 'everything'],
    ['at another server is not', { now_ms: 1001, server: 'two' }, 'everything'],
  ];
  for (const [what, answer, applied] of doubtful) {
    test(what, async () => {
      await look({ now_ms: 1000 });
      assert.equal(await look(answer), applied);
      assert.equal(await look({ now_ms: answer.now_ms, server: answer.server ?? 'one' }), 'nothing');
    });
  }

  test('on a new connection drops everything', async () => {
    await look({ now_ms: 1000 });
    opened[0]!.isBroken = true;
    assert.equal(await look({ now_ms: 1001 }), 'everything');
    assert.deepEqual([opened.length, opened[0]!.released, compared[1]], [2, 1, null]);
  });

  for (const [what, answer] of [
    ['that fails', new Error('relation "cache_changes" does not exist')],
    ['at a standby', { now_ms: 1001, isStandby: true }],
  ] as const) {
    test(`${what} is unavailable, and the next one, on another connection, drops everything`, async () => {
      await look({ now_ms: 1000 });
      await assert.rejects(look(answer), StoreUnavailable);
      assert.equal(opened[0]!.released, 1);
      assert.equal(await look({ now_ms: 1002, tags: ['token:1'] }), 'everything');
      assert.equal(opened.length, 2);
    });
  }

  test('that could not be applied counts as none', async () => {
    await look({ now_ms: 1000 });
    answers.push({ now_ms: 1001, tags: ['token:1'] });
    const failing = fence.look('me', () => {
      throw new Error('a mistake of ours');
    });
    await assert.rejects(failing, /a mistake of ours/);
    assert.equal(await look({ now_ms: 1002 }), 'everything');
  });

  test('is refused without asking while the server lock is lost', async () => {
    await look({ now_ms: 1000 });
    isUsable = false;
    await assert.rejects(look({ now_ms: 1001 }), /the lock is lost/);
    assert.equal(compared.length, 1);
  });
});
