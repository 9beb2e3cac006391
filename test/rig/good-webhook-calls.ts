import type { Keys } from './client.ts';
import { bearerClient } from './events.ts';
import { withBearer } from './good-activity-calls.ts';
import type { Good } from './good-calls.ts';
import { register } from './people.ts';
import { openReceiver } from './receiver.ts';
import type { World } from './world.ts';

const HOOKS = '/2/webhooks';

/** An application and a receiver that knows its secret. */
async function withReceiver(world: World): Promise<{ readonly keys: Keys; readonly url: string }> {
  const keys = await register(world);
  return { keys, url: (await openReceiver(keys.consumer_secret)).url };
}

/** An application with a webhook. */
async function withWebhook(world: World): Promise<{ readonly keys: Keys; readonly id: string }> {
  const { keys, url } = await withReceiver(world);
  const client = await bearerClient(world, keys);
  return { keys, id: (await client.call('POST', HOOKS, { url })).body.data.id };
}

const minute = (world: World, offset_s: number): string =>
  new Date(world.clock.now() + offset_s * 1000).toISOString().replace(/\D/g, '').slice(0, 12);
const minutes = (world: World): { from_date: string; to_date: string } => {
  return { from_date: minute(world, -120), to_date: minute(world, 0) };
};
const oldPath = (world: World, webhook: string): string =>
  `/2/account_activity/replay/webhooks/${webhook}/subscriptions/all?${new URLSearchParams(minutes(world))}`;

/** Good calls about webhooks, by operation. */
export const goodWebhookCalls: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'webhooks.create': async (world) => {
    const { keys, url } = await withReceiver(world);
    return withBearer(world, keys, { url });
  },
  'webhooks.list': async (world) => withBearer(world, await register(world)),
  'webhooks.validate': async (world) => {
    const { keys, id } = await withWebhook(world);
    return { target: `${HOOKS}/${id}`, ...(await withBearer(world, keys)) };
  },
  'webhooks.remove': async (world) => {
    const { keys, id } = await withWebhook(world);
    return { target: `${HOOKS}/${id}`, ...(await withBearer(world, keys)) };
  },
  'webhooks.replay': async (world) => {
    const { keys, id } = await withWebhook(world);
    return withBearer(world, keys, { webhook_id: id, ...minutes(world) });
  },
  'account_activity.replay': async (world) => {
    const { keys, id } = await withWebhook(world);
    return { target: oldPath(world, id), ...(await withBearer(world, keys)) };
  },
};

/** Calls about a webhook that is not there, by operation. */
export const webhookMisses: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'webhooks.validate': async (world) => ({
    target: `${HOOKS}/19`,
    ...(await withBearer(world, await register(world))),
  }),
  'webhooks.remove': async (world) => ({ target: `${HOOKS}/19`, ...(await withBearer(world, await register(world))) }),
  'account_activity.replay': async (world) => {
    return { target: oldPath(world, '19'), ...(await withBearer(world, await register(world))) };
  },
};

/** Replays while one of the same webhook is under way, by operation. */
export const webhookConflicts: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'webhooks.replay': async (world) => {
    const { keys, id } = await runningReplay(world);
    return withBearer(world, keys, { webhook_id: id, ...minutes(world) });
  },
  'account_activity.replay': async (world) => {
    const { keys, id } = await runningReplay(world);
    return { target: oldPath(world, id), ...(await withBearer(world, keys)) };
  },
};

async function runningReplay(world: World): Promise<{ readonly keys: Keys; readonly id: string }> {
  const { keys, id } = await withWebhook(world);
  const { store } = world.service;
  await store.write(async (tx) => {
    const { application_id } = (await tx.webhooks.find(id))!;
    await tx.replays.add({
      id,
      webhook_id: id,
      application_id,
      state: 'Running',
      position: 0,
      last_position: 0,
      delivered: 0,
      failed: 0,
      created_at: '2026-03-02T17:04:55Z',
      ended_at: null,
    });
  });
  return { keys, id };
}
