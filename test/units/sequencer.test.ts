import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoggedEvent } from '../../src/contract/store/events.ts';
import { openSequencer } from '../../src/features/activity/sequencer.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { until } from '../rig/patience.ts';

/** What the database answers to each look, the last one for ever. */
type Answer = number | 'another is elected' | Error;

/** A sequencer, what it told, and a way to append events. */
async function opened(answers: Answer[], { isStarted = true } = {}) {
  let appended = (): void => {};
  let looks = 0;
  const told: string[] = [];
  const sequence = async (): Promise<readonly LoggedEvent[] | undefined> => {
    looks += 1;
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (answer instanceof Error) throw answer;
    return answer === 'another is elected' ? undefined : Array<LoggedEvent>(answer);
  };
  const store = {
    sequencer: { sequence },
    onInvalidate(kinds: readonly string[], listener: () => void) {
      assert.deepEqual(kinds, ['outbox']);
      appended = listener;
    },
  } as unknown as Store;
  const sequencer = openSequencer({
    store,
    onEvents: ({ length }) => told.push(`${length} events`),
    onOthersTurn: () => told.push("another one's turn"),
    onError: (error) => told.push(String(error)),
  });
  if (isStarted) await sequencer.start();
  return { sequencer, told, append: () => appended(), looks: () => looks };
}

describe('a sequencer', () => {
  test('goes on until a batch is not full, and tells of each', async () => {
    const { sequencer, told } = await opened([500, 501, 7, 0]);
    assert.deepEqual(told, ['500 events', '501 events', '7 events']);
    await sequencer.stop();
  });

  test('tells the elected one of events of its own process, and of nothing else', async () => {
    const { sequencer, told, append, looks } = await opened(['another is elected']);
    await until('it has polled', () => looks() > 2);
    assert.deepEqual(told, []);
    append();
    await until('it has looked', () => told.length > 0);
    await sequencer.stop();
    assert.deepEqual(told, ["another one's turn"]);
  });

  test('that is not started leaves all to the elected one, and tells it at once', async () => {
    const { sequencer, told, append, looks } = await opened([1], { isStarted: false });
    append();
    append();
    assert.deepEqual(told, ["another one's turn", "another one's turn"]);
    await sequencer.stop();
    append();
    assert.equal(told.length, 3);
    assert.equal(looks(), 0);
  });

  test('reports a failure once, and goes on', async () => {
    const failure = new Error('no database');
    const { sequencer, told } = await opened([failure, failure, 3, failure, 0]);
    await until('it has failed again', () => told.length >= 3);
    await sequencer.stop();
    assert.deepEqual(told, ['Error: no database', '3 events', 'Error: no database']);
  });
});
