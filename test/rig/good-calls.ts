import type { CredentialKind } from '../../src/contract/declare/operation.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { basic, bearerOf } from './application.ts';
import type { Keys, Reply } from './client.ts';
import { activityMisses, goodActivityCalls } from './good-activity-calls.ts';
import { goodStreamCalls } from './good-stream-calls.ts';
import { goodWebhookCalls, webhookMisses } from './good-webhook-calls.ts';
import { approve, begin, prepare, type Step } from './login.ts';
import { type RawCall, rawCall } from './raw.ts';
import { makePublisher } from './served-ads.ts';
import type { World } from './world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Keys, and whose they are when it is not the first demo user. */
type User = Keys & { readonly user?: string };

/** What a good call sends beside method and path. */
export interface Good extends Partial<RawCall> {
  /** Begins with a question mark. */
  readonly query?: string;
}

/**
 * What makes a call succeed, by operation, where it takes more than the signature of a user: another credential, or
 * parameters that name something.
 */
export const goodCalls: Readonly<Record<string, (world: World, keys: User) => Promise<Good>>> = {
  'oauth.request_token': (world, keys) => presented(world, keys, 'consumer'),
  'oauth.access_token': (world, keys) => presented(world, keys, 'request-token'),
  'oauth2.token': async (_, keys) => ({
    keys: undefined,
    headers: { ...FORM, authorization: basic(keys) },
    body: 'grant_type=client_credentials',
  }),
  'oauth2.invalidate_token': async (world, keys) => ({
    headers: FORM,
    body: new URLSearchParams({ access_token: await bearerOf(world, keys) }).toString(),
  }),
  ...goodActivityCalls,
  ...goodStreamCalls,
  ...goodWebhookCalls,
  'delivery.decisions': async (world, keys) => {
    const by = await presented(world, keys, 'publisher');
    const body = JSON.stringify({ placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] });
    return { ...by, headers: { ...by.headers, 'content-type': 'application/json' }, body };
  },
  'users.show': async () => ({ query: '?screen_name=ada_demo' }),
  'media.upload': async () => form({ media_data: PICTURE }),
  'media.upload_status': async (world, keys) => ({
    query: `?command=STATUS&media_id=${await begunUpload(world, keys)}`,
  }),
  'media_v2.upload': async () => form({ media_data: PICTURE }),
  'media_v2.upload_status': async (world, keys) => ({ query: `?media_id=${await begunUpload(world, keys)}` }),
  'media_v2.initialize': async () => form({ media_type: 'image/png', total_bytes: PICTURE_BYTES }),
  'media_v2.append': async (world, keys) => ({
    target: `/2/media/upload/${await begunUpload(world, keys)}/append`,
    ...form({ segment_index: '0', media_data: PICTURE }),
  }),
  'media_v2.finalize': async (world, keys) => {
    const id = await begunUpload(world, keys);
    await sendForm(world, keys, { command: 'APPEND', media_id: id, segment_index: '0', media_data: PICTURE });
    return { target: `/2/media/upload/${id}/finalize` };
  },
};

/** Calls that name something which is not there, by operation, where it is not the account or the user of a query. */
export const missingCalls: Readonly<Record<string, (world: World) => Promise<Good>>> = {
  ...activityMisses,
  ...webhookMisses,
};

const IMAGE = placeholderImage(2, 2);
const PICTURE = IMAGE.toString('base64');
const PICTURE_BYTES = String(IMAGE.length);

function form(pairs: Readonly<Record<string, string>>): Good {
  return { headers: FORM, body: new URLSearchParams(pairs).toString() };
}

function sendForm(world: World, keys: User, pairs: Readonly<Record<string, string>>): Promise<Reply> {
  const call = { method: 'POST', target: '/1.1/media/upload', keys, ...form(pairs) };
  return rawCall(world.service.sandboxUrl, world.clock, call);
}

/** The id of an upload that has begun. */
async function begunUpload(world: World, keys: User): Promise<string> {
  const begun = await sendForm(world, keys, { command: 'INIT', media_type: 'image/png', total_bytes: PICTURE_BYTES });
  return begun.body.media_id_string;
}

/** What brings about the further statuses of success of an operation. */
export const goodSteps: Readonly<Record<number, (world: World, keys: User) => Promise<Good>>> = {
  202: async () => form({ command: 'INIT', media_type: 'image/png', total_bytes: PICTURE_BYTES }),
  204: async (world, keys) =>
    form({ command: 'APPEND', media_id: await begunUpload(world, keys), segment_index: '0', media_data: PICTURE }),
};

/** What a caller of the sandbox presents where an operation asks for a credential of a kind. */
async function presented(world: World, keys: User, kind: CredentialKind): Promise<Partial<RawCall>> {
  return (await presenting(world, keys, kind))();
}

/**
 * Makes what a caller of the sandbox presents, anew for each call: good, but for the secret of the application when
 * another is given.
 */
export async function presenting(
  world: World,
  keys: User,
  kind: CredentialKind = 'user',
  secret = keys.consumer_secret,
): Promise<() => Partial<RawCall>> {
  const consumer = { ...keys, consumer_secret: secret };
  const signed = (step: Step): Partial<RawCall> => {
    const { init } = prepare(world.service.sandboxUrl, world.clock, step);
    return { keys: undefined, headers: init.headers as Record<string, string> };
  };
  switch (kind) {
    case 'basic':
      return () => ({ keys: undefined, headers: { authorization: basic(consumer) } });
    case 'consumer':
      return () => signed({ path: '/oauth/request_token', consumer, oauth: { oauth_callback: 'oob' } });
    case 'request-token': {
      const token = await begin(world, keys);
      const oauth_verifier = await approve(world, token.token, keys.user ?? world.keys.user_id!);
      return () => signed({ path: '/oauth/access_token', consumer, token, oauth: { oauth_verifier } });
    }
    case 'publisher': {
      const credential = secret === keys.consumer_secret ? await makePublisher(world) : secret;
      return () => ({ keys: undefined, headers: { authorization: `Bearer ${credential}` } });
    }
    case 'bearer': {
      const bearer = secret === keys.consumer_secret ? await bearerOf(world, keys) : secret;
      return () => ({ keys: undefined, headers: { authorization: `Bearer ${bearer}` } });
    }
    default:
      return () => ({ keys: consumer });
  }
}
