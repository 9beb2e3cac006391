import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import type { Sender } from '../../src/contract/services/sending.ts';
import type { WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { HeldWebhook } from '../../src/features/activity/webhooks/held-webhook.ts';
import type { DeliveryOutcome } from '../../src/features/activity/webhooks/outcome-writer.ts';
import type { Receiver } from '../../src/features/activity/webhooks/receivers.ts';
import { keyOf } from '../../src/features/activity/webhooks/signing.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';

const now_ms = Date.UTC(2026, 2, 2);
const now = formatInstant(now_ms);

function dueDelivery(position: number): WebhookDelivery {
  return {
    ...{ webhook_id: '1', message_id: `msg_${position}`, position, subscription_id: '2', event_type: 'post.create' },
    ...{ body: '{}', state: 'pending', tries: [], tries_before: 0, next_at: now, created_at: now },
  };
}

test('a webhook goes on after it has read nothing but deliveries whose outcomes were not stored yet', async () => {
  const due = new Map(Array.from({ length: 600 }, (_, index) => [`msg_${index}`, dueDelivery(index)]));
  let sent = 0;
  let reads = 0;
  const unstored: DeliveryOutcome[] = [];
  const clock = { now: () => now_ms };
  const key = keyOf(Buffer.from('x'));
  const receiver: Receiver = {
    ...{ id: '1', url: 'http://receiver.test/', state: 'active', consumerKey: key },
    signingKeys: () => [key],
  };
  const sender = {
    async send() {
      sent += 1;
      return { outcome: 'answered', status: 200, headers: {}, body: Buffer.alloc(0), isCut: false, duration_ms: 1 };
    },
  };
  const webhook = new HeldWebhook(
    { webhook_id: '1', fencing_number: 1, settled_position: 0 },
    { cursor: { position: 0 }, leasedUntil_ms: Number.POSITIVE_INFINITY },
    {
      store: {
        read: async () => {
          reads += 1;
          return [...due.values()].slice(0, 500);
        },
      } as unknown as Store,
      ...{ clock, wallClock: clock, sender: sender as unknown as Sender },
      receivers: { find: async () => receiver, findNow: async () => receiver, onChange() {} },
      outcomes: { put: (outcome) => void unstored.push(outcome), isFull: () => false, discard() {} },
      memory: { deliveries: 0, concurrent_max: undefined },
      ...{ retries_s: [3], nextTransactionId: () => '0', onDelivered() {} },
      onError(error) {
        throw error;
      },
    },
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const storeAll = (): void => {
    const outcomes = unstored.splice(0);
    for (const { delivery } of outcomes) due.delete(delivery.message_id);
    for (const { onStored } of outcomes) onStored?.();
  };

  webhook.resume();
  while (sent < 500 || webhook.isReading || reads < 2) await settle();
  // It has looked again, and saw the same.
  assert.equal(unstored.length, 500);
  storeAll();
  for (let turns = 0; turns < 100; turns++) await settle();
  assert.equal(sent, 600);
  storeAll();
  assert.equal(due.size, 0);
});
