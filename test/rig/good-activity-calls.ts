import { asUser, makeSubscription, newPerson } from './activity.ts';
import { bearerOf } from './application.ts';
import type { Keys } from './client.ts';
import type { Good } from './good-calls.ts';
import type { World } from './world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A call with the bearer token of an application. */
export async function withBearer(world: World, keys: Keys, json?: unknown): Promise<Good> {
  const authorization = `Bearer ${await bearerOf(world, keys)}`;
  if (json === undefined) return { keys: undefined, headers: { authorization } };
  return { keys: undefined, headers: { ...JSON_TYPE, authorization }, body: JSON.stringify(json) };
}

const PATH = '/2/activity/subscriptions';

/** A subscription of somebody new, and how they sign. */
async function subscribed(world: World): Promise<{ readonly id: string; readonly keys: Keys }> {
  const { keys, own, user } = await newPerson(world);
  return { id: await makeSubscription(own, bio(user)), keys };
}

const bio = (user_id: string): object => ({ event_type: 'profile.update.bio', filter: { user_id } });

/** Good calls about subscriptions and messages, by operation. */
export const goodActivityCalls: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'subscriptions.create': async (world) => {
    const { keys, user } = await newPerson(world);
    return withBearer(world, keys, bio(user));
  },
  'subscriptions.update': async (world) => {
    const { id, keys } = await subscribed(world);
    return { target: `${PATH}/${id}`, keys, headers: JSON_TYPE, body: '{"tag":"x"}' };
  },
  'subscriptions.remove': async (world) => {
    const { id, keys } = await subscribed(world);
    return { target: `${PATH}/${id}`, keys };
  },
  'subscriptions.remove_many': async () => ({ query: '?ids=19' }),
  'messages.send': async (world) => {
    const [from, to] = [await newPerson(world), await newPerson(world)];
    const target = `/2/dm_conversations/with/${to.user}/messages`;
    return { target, keys: from.keys, headers: JSON_TYPE, body: '{"text":"Hello"}' };
  },
  'messages.indicate_typing': async (world) => {
    const [from, to] = [await newPerson(world), await newPerson(world)];
    return { keys: from.keys, headers: FORM, body: `recipient_id=${to.user}` };
  },
  'messages.mark_read': async (world) => {
    const [from, to] = [await newPerson(world), await newPerson(world)];
    const path = `/2/dm_conversations/with/${to.user}/messages`;
    const sent = await asUser(world, from.keys).call('POST', path, { text: 'Hello' });
    const id = sent.body.data.dm_event_id;
    return { keys: to.keys, headers: FORM, body: `recipient_id=${from.user}&last_read_event_id=${id}` };
  },
};

/** Calls about something that is not there, by operation. */
export const activityMisses: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  'subscriptions.update': async () => ({ target: `${PATH}/19`, headers: JSON_TYPE, body: '{"tag":"x"}' }),
  'subscriptions.remove': async () => ({ target: `${PATH}/19` }),
  'messages.send': async (world) => {
    const { keys } = await newPerson(world);
    const target = '/2/dm_conversations/with/19/messages';
    return { target, keys, headers: JSON_TYPE, body: '{"text":"Hello"}' };
  },
  'messages.mark_read': async (world) => {
    const [from, to] = [await newPerson(world), await newPerson(world)];
    return { keys: from.keys, headers: FORM, body: `recipient_id=${to.user}&last_read_event_id=19` };
  },
};
