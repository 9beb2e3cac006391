import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { openLog } from '../../src/http/log.ts';
import { failureLog, outageLog } from '../../src/http/outage-log.ts';

/** A log of failures whose waiting the test ends. */
function opened() {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line).message) });
  let end = (): void => {};
  const failed = failureLog(log, 'work failed', (_, action) => {
    end = action;
    return () => {};
  });
  return { lines, outage: outageLog(log), failed, endWaiting: () => end() };
}
const broken = () => new StoreUnavailable(new Error('the connection broke'));

describe('a failure of background work', () => {
  test('is logged at once when it has nothing to do with the database', () => {
    const { lines, failed } = opened();
    failed(new Error('broken'));
    assert.deepEqual(lines, ['work failed']);
  });

  test('is not logged when an outage is noticed just after it, or just before', () => {
    const { lines, outage, failed, endWaiting } = opened();
    failed(broken());
    outage.began?.(new Error('gone'));
    endWaiting();
    outage.ended?.(100);
    failed(broken());
    endWaiting();
    assert.deepEqual(lines, ['database unavailable; answering 503 until it is back', 'database available again']);
  });

  test('is logged when no outage shows: one connection broke', () => {
    const { lines, failed, endWaiting } = opened();
    failed(broken());
    assert.deepEqual(lines, []);
    endWaiting();
    assert.deepEqual(lines, ['work failed']);
  });
});
