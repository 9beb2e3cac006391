import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendResult } from '../../src/contract/services/sending.ts';
import type { WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { afterAttempt } from '../../src/features/activity/webhooks/retry-schedule.ts';

const delivery = { tries: [], tries_before: 0 } as unknown as WebhookDelivery;
const failed: SendResult = { outcome: 'failed', reason: 'timeout', detail: '', duration_ms: 1, addresses: [] };

/** @source activity 19.4 */
test('a retry is never due before its schedule, in whatever fraction of a second the try ended', () => {
  const second = Date.parse('2026-03-02T17:04:55Z');
  for (const part_ms of [0, 1, 300, 700, 999]) {
    const { next_at } = afterAttempt(delivery, failed, {
      now_ms: second + part_ms,
      wallNow_ms: second + part_ms,
      retries_s: [3],
    });
    const wait_ms = Date.parse(next_at!) - (second + part_ms);
    assert.ok(wait_ms >= 3000 && wait_ms < 4000, `${wait_ms} ms after a try that ended at ${part_ms} ms`);
  }
});
