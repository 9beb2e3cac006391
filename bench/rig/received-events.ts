import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { formatInstant } from '../../src/base/instants.ts';
import type { NewEvent } from '../../src/contract/store/events.ts';
import { bearerClient } from '../../test/rig/events.ts';
import type { World } from '../../test/rig/world.ts';

/** Events of one unit of work. */
const TOGETHER = 500;

/** What changes of a profile have as their payload. */
export const PAYLOAD = JSON.stringify({
  before: 'A bio of some length, as people have them',
  after: 'Another one, a little longer than that',
});

/** A receiver in a process of its own, and the user whose changes a webhook sends there. */
export interface Received {
  readonly receiver: ChildProcess;
  readonly url: string;
  readonly user_id: string;
}

/** Opens a receiver, with a webhook and a subscription that lead to it. */
export async function openReceived(world: World): Promise<Received> {
  const program = join(import.meta.dirname, 'counting-receiver-process.ts');
  const receiver = fork(program, [world.keys.consumer_secret]);
  const [url] = (await once(receiver, 'message')) as [string];
  const client = await bearerClient(world, world.keys);
  const { body } = await client.call('POST', '/2/webhooks', { url: `${url}/in` });
  const user_id = world.keys.user_id!;
  const webhook_id = body.data.id as string;
  const filter = { user_id };
  await client.call('POST', '/2/activity/subscriptions', { event_type: 'profile.update.bio', filter, webhook_id });
  return { receiver, url, user_id };
}

/** How many messages came a second, of so many that something begins to send. */
export async function rate(receiver: ChildProcess, count: number, begin: () => Promise<unknown>): Promise<number> {
  const come = once(receiver, 'message');
  receiver.send(count);
  const startedAt_ms = performance.now();
  await Promise.all([begin(), come]);
  return (count / (performance.now() - startedAt_ms)) * 1000;
}

/** Writes so many changes of a profile to the log. */
export async function emit({ service, clock }: World, user_id: string, count: number): Promise<void> {
  const event: NewEvent = { event_type: 'profile.update.bio', user_id, direction: null, text: 'x', payload: PAYLOAD };
  for (let done = 0; done < count; done += TOGETHER) {
    const events = Array<NewEvent>(Math.min(TOGETHER, count - done)).fill(event);
    await service.store.write((tx) => tx.events.append(events, formatInstant(clock.now())));
  }
}
