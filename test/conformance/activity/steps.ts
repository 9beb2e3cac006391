import type { Reply } from '../../rig/client.ts';
import type { Api, CallOptions } from '../api.ts';
import { expectStatus } from '../expect.ts';

/** Where subscriptions are. */
export const SUBSCRIPTIONS = '/2/activity/subscriptions';

let count = 0;

/** A word that nothing else contains. */
export function newWord(): string {
  count += 1;
  return `word${Date.now().toString(36)}${count}`;
}

/** A filter that no other subscription has. */
export function newFilter(api: Api): { readonly user_id: string; readonly keyword: string } {
  return { user_id: api.userId, keyword: newWord() };
}

/** Asks for a subscription, which is deleted after the check; with the bearer token unless told otherwise. */
export async function subscribe(api: Api, json: unknown, options: Partial<CallOptions> = {}): Promise<Reply> {
  const as = options.as ?? (await api.bearer());
  const reply = await api.call({ method: 'POST', path: SUBSCRIPTIONS, json, ...options, as });
  const id = reply.body?.data?.subscription?.subscription_id;
  if (id !== undefined) api.finally(() => api.call({ method: 'DELETE', path: `${SUBSCRIPTIONS}/${id}`, as }));
  return reply;
}

/** A new subscription to the profile of the user, as the server replied it. */
export async function newSubscription(api: Api, more: object = {}) {
  const reply = await subscribe(api, { event_type: 'profile.update.bio', filter: newFilter(api), ...more });
  expectStatus(reply, 200);
  return reply.body.data.subscription;
}

/** Changes the description of the user, and puts the former one back after the check. */
export async function changeBio(api: Api, texts: readonly string[]): Promise<string> {
  const path = '/1.1/account/update_profile.json';
  const set = (text: string) => api.call({ method: 'POST', path, form: [['description', text]] });
  const { body } = await api.call({ path: `/1.1/users/show.json?user_id=${api.userId}` });
  const before: string = body.description ?? '';
  api.finally(() => set(before));
  for (const text of texts) expectStatus(await set(text), 200);
  return before;
}
