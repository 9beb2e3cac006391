import type { LogSubscription, MatchedBatch } from '../../src/contract/store/events.ts';
import { readDevFile } from '../../src/dev/dev-folder.ts';
import { bearerOf } from './application.ts';
import type { Keys, Reply } from './client.ts';
import { ownText } from './foreign-words.ts';
import { register, type Standing } from './people.ts';
import { rawCall } from './raw.ts';
import { recordSecret } from './secrets.ts';
import type { World } from './world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends calls of version 2 with one credential, to production. */
export interface Caller {
  call(method: string, target: string, json?: unknown): Promise<Reply>;
}

/** Calls as the user of a token. */
export function asUser(world: World, keys: Keys): Caller {
  return {
    call: (method, target, json) => rawCall(world.service.url, world.clock, { method, target, keys, ...bodyOf(json) }),
  };
}

/** Calls as an application, with its bearer token. */
export async function asApplication(world: World, keys: Keys): Promise<Caller> {
  const bearer = await bearerOf(world, keys);
  return {
    call(method, target, json) {
      const { headers = {}, ...rest } = bodyOf(json);
      const call = { method, target, headers: { ...headers, authorization: `Bearer ${bearer}` }, ...rest };
      return rawCall(world.service.url, world.clock, call);
    },
  };
}

function bodyOf(json: unknown): { headers?: Record<string, string>; body?: string } {
  return json === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(json) };
}

/** A user with an application, whose token reaches messages. */
export function registerForMessages(world: World, standing: Standing = {}): Promise<Keys & { readonly user: string }> {
  const level = 'read-write-directmessages';
  return register(world, { applicationLevel: level, tokenLevel: level, ...standing });
}

/** Makes an event happen. */
export function happen(world: World, happening: unknown, token = operatorToken(world)): Promise<Reply> {
  return rawCall(world.service.url, world.clock, {
    method: 'POST',
    target: '/internal/activity/events',
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: typeof happening === 'string' ? happening : JSON.stringify(happening),
  });
}

function operatorToken(world: World): string {
  const token = readDevFile(world.place.folder)!.operator_token!;
  recordSecret('operator token', token);
  return token;
}

/** What followers of the log are told, from now on. */
export interface Heard {
  readonly following: LogSubscription;
  readonly batches: readonly MatchedBatch[];
  /** The envelopes for an application so far, parsed, once all that is committed was handed over. */
  envelopes(application?: string): Promise<Envelope[]>;
}

/** An envelope, as receivers read it. */
export interface Envelope {
  readonly data: {
    readonly event_uuid: string;
    readonly event_type: string;
    readonly filter: Record<string, string>;
    readonly tag?: string;
    readonly subscription_id?: string;
    // biome-ignore lint/suspicious/noExplicitAny: as receivers read it
    readonly payload: any;
  };
  readonly meta?: { readonly replay: boolean };
}

/** Listens to the log of a world. */
export function listen(world: World): Heard {
  const batches: MatchedBatch[] = [];
  const {
    activity: { feed: activity },
  } = world.service.services;
  const following = activity.follow((batch) => void batches.push(batch));
  return {
    following,
    batches,
    async envelopes(application) {
      await activity.waitUntilCaughtUp();
      return batches
        .flatMap(({ byApplication }) =>
          application === undefined ? [...byApplication.values()].flat() : (byApplication.get(application) ?? []),
        )
        .map(({ body }) => JSON.parse(ownText(body.toString())));
    },
  };
}

/** The calls about subscriptions. */
export const SUBSCRIPTIONS = '/2/activity/subscriptions';

/** Somebody with an application of their own, and calls of both. The token reaches messages. */
export interface Person {
  readonly user: string;
  readonly keys: Keys;
  readonly application: string;
  readonly own: Caller;
  readonly app: Caller;
}

/** Registers somebody new. */
export async function newPerson(world: World, standing: Standing = {}): Promise<Person> {
  const keys = await registerForMessages(world, standing);
  const application = await world.service.store.read((tx) => tx.credentials.findApplicationByKey(keys.consumer_key));
  const app = await asApplication(world, keys);
  return { user: keys.user, keys, application: application!.id, own: asUser(world, keys), app };
}

/** Subscribes; the answer is the id. */
export function subscribe(caller: Caller, event_type: string, filter: object, more: object = {}): Promise<string> {
  return makeSubscription(caller, { event_type, filter, ...more });
}

/** Makes the subscription of a body; the answer is the id. */
export async function makeSubscription(caller: Caller, body: object): Promise<string> {
  const reply = await caller.call('POST', SUBSCRIPTIONS, body);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.data.subscription.subscription_id;
}

/** Posts a form to a call of version 1.1, signed. */
export function sendForm(world: World, keys: Keys, target: string, form: Record<string, string>): Promise<Reply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  return rawCall(world.service.url, world.clock, { method: 'POST', target, keys, headers, body });
}

/** The body that tells one thing wrong with a request. */
export function wrongRequest(world: World, message: string, parameters: object = {}): object {
  return {
    errors: [{ parameters, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${world.service.url}/2/problems/invalid-request`,
  };
}

/** The body that tells of a subscription that is not there. */
export function noSubscription(world: World, id: string): object {
  return {
    errors: [
      {
        value: id,
        detail: `Could not find subscription with subscription_id: [${id}].`,
        title: 'Not Found Error',
        resource_type: 'subscription',
        parameter: 'subscription_id',
        resource_id: id,
        type: `${world.service.url}/2/problems/resource-not-found`,
      },
    ],
  };
}
