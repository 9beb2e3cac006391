import assert from 'node:assert/strict';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { rotateSecret } from '../../src/features/activity/webhooks/administration.ts';
import {
  SIGNATURE_HEADER,
  signatureOf,
  standardHeaders,
  webhookKey,
} from '../../src/features/activity/webhooks/signing.ts';
import { accounts } from '../../src/features/ads/accounts.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import {
  regenerateBearer,
  regenerateKeys,
  revokeAccess,
  suspendApplication,
} from '../../src/features/auth/applications/administration.ts';
import { changeUserStatus } from '../../src/features/platform/user-status.ts';
import type { Store, WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { idOf, lineItemCalls } from '../resources/line-item-calls.ts';
import { basic } from './application.ts';
import { type Client, clientOf, type Keys } from './client.ts';
import { makeHooks } from './deliverers.ts';
import { register } from './people.ts';
import { rawCall } from './raw.ts';
import { type Arrived, responseToken, said, status } from './receiver.ts';
import { recordSecrets } from './secrets.ts';
import { bio } from './streams.ts';
import { openAccount, type World } from './world.ts';

/** Something that one process ends and another then uses, again and again. */
export interface Pair {
  /** Uses it at a node; the status is 200 as long as it holds. Whatever the node caches of it, it caches then. */
  readonly use: (node: number) => Promise<number>;
  /** Ends it, through the store of any process. Can be repeated when its outcome is unknown. */
  readonly end: (store: Store) => Promise<unknown>;
  /** The status of what has ended. */
  readonly refused: number;
  /** Makes it good again; without it, each time needs a new one. */
  readonly restore?: (store: Store) => Promise<unknown>;
}

const at = (world: World, node: number, keys: Keys): Client =>
  clientOf(world.origins[node]!.sandbox, keys, world.clock);

/** Somebody with an application, and how they list their accounts at a node. */
async function somebody(world: World, roles = {}) {
  const keys = await register(world, { roles });
  const found = await world.service.store.read((tx) => tx.credentials.findApplicationByKey(keys.consumer_key));
  const list = async (node: number): Promise<number> =>
    (await at(world, node, keys).call('GET', '/12/accounts')).status;
  return { keys, application: found!.id, list };
}

/** Makes something that can be ended, by its kind. */
export const pairKinds: Readonly<Record<string, (world: World) => Promise<Pair>>> = {
  async 'an access token'(world) {
    const { keys, application, list } = await somebody(world);
    return {
      use: list,
      end: (store) => store.write((tx) => revokeAccess(tx, { user: keys.user, application }, now(world))),
      refused: 401,
    };
  },
  async 'a bearer token'(world) {
    const { application } = await somebody(world);
    const renew = (store: Store) => store.write((tx) => regenerateBearer(registrarIn(world, tx), application));
    let value = await renew(world.service.store);
    let next = value;
    return {
      async use(node) {
        const target = '/1.1/users/show.json?screen_name=ada_demo';
        const headers = { authorization: `Bearer ${value}` };
        return (await rawCall(world.origins[node]!.sandbox, world.clock, { method: 'GET', target, headers })).status;
      },
      async end(store) {
        next = await renew(store);
      },
      refused: 401,
      async restore() {
        value = next;
      },
    };
  },
  async 'the keys of an application'(world) {
    const { keys, application } = await somebody(world);
    let value: Keys = keys;
    let next = value;
    return {
      use: async (node) => (await at(world, node, value).call('GET', '/12/accounts')).status,
      async end(store) {
        next = { ...keys, ...(await store.write((tx) => renewKeys(world, tx, application))) };
      },
      refused: 401,
      async restore() {
        value = next;
      },
    };
  },
  async 'a suspended user'(world) {
    const { keys, list } = await somebody(world);
    const suspend = (suspended: 0 | 1) => (store: Store) =>
      store.write((tx) => changeUserStatus(tx, keys.user, { suspended }));
    return { use: list, end: suspend(1), refused: 403, restore: suspend(0) };
  },
  async 'a suspended application'(world) {
    const { application, list } = await somebody(world);
    const suspend = (isSuspended: boolean) => (store: Store) =>
      store.write((tx) => suspendApplication(tx, application, isSuspended));
    return { use: list, end: suspend(true), refused: 401, restore: suspend(false) };
  },
  async 'a role'(world) {
    const { account, path } = await openAccount(world.sandbox);
    const { keys } = await somebody(world, { [account]: 'AD_MANAGER' });
    const membership = { account_id: account, user_id: keys.user, role: 'AD_MANAGER', post_composer: 0 } as const;
    const changed = (work: (tx: WriteTransaction) => Promise<unknown>) => (store: Store) =>
      store.write(async (tx) => {
        // It may be there: the outcome of the last attempt may have been unknown.
        await tx.accountMembers.remove(account, keys.user);
        await work(tx);
        tx.invalidate(`account:${account}`);
      });
    return {
      use: async (node) => (await at(world, node, keys).call('GET', `${path}/campaigns`)).status,
      end: changed(async () => {}),
      refused: 403,
      restore: changed((tx) => tx.accountMembers.add(membership)),
    };
  },
  async 'a deleted account'(world) {
    const { account, path } = await openAccount(world.sandbox);
    const mark = (deleted: 0 | 1) => (store: Store) =>
      store.write(async (tx) => {
        await tx.records.update(accounts, { account: undefined, id: account }, { deleted });
        tx.invalidate(`account:${account}`);
      });
    return {
      use: async (node) => (await at(world, node, world.keys).call('GET', `${path}/campaigns`)).status,
      end: mark(1),
      refused: 404,
      restore: mark(0),
    };
  },
  async 'a cached row'(world) {
    const { account, path, instrument } = await openAccount(world.sandbox);
    const mark = (deleted: 0 | 1) => (store: Store) =>
      store.write((tx) => tx.records.update(fundingInstruments, { account, id: instrument }, { deleted }));
    return {
      use: async (node) => {
        const target = `${path}/funding_instruments/${instrument}`;
        return (await at(world, node, world.keys).call('GET', target)).status;
      },
      end: mark(1),
      refused: 404,
      restore: mark(0),
    };
  },
  async 'a line item of a deleted campaign'(world) {
    const calls = lineItemCalls(() => world);
    const place = await calls.open();
    const { account, path } = place;
    const campaign = await calls.campaign(place);
    const line = idOf(await calls.create(place, 'ENGAGEMENTS', { campaign_id: campaign }));
    const mark = (deleted: 0 | 1) => (store: Store) =>
      store.write((tx) => tx.records.update(campaigns, { account, id: campaign }, { deleted }));
    return {
      use: async (node) => (await at(world, node, world.keys).call('GET', `${path}/line_items/${line}`)).status,
      end: mark(1),
      refused: 404,
      restore: mark(0),
    };
  },
  'the secrets of a webhook': webhookSecrets,
};

const now = ({ clock }: World): string => formatInstant(clock.now());

function registrarIn(world: World, tx: WriteTransaction) {
  return { tx, box: world.service.box, random: secureRandom, now: now(world) };
}

/** Gives an application new keys, whatever those are that it has. */
export async function renewKeys(world: World, tx: WriteTransaction, application: string) {
  const { consumer_key } = (await tx.credentials.findApplication(application))!;
  const renewed = (await regenerateKeys(registrarIn(world, tx), application, consumer_key))!;
  recordSecrets({ consumer_secret: renewed.consumerSecret });
  return { consumer_key: renewed.consumerKey, consumer_secret: renewed.consumerSecret };
}

/** What signs the messages to a webhook. */
interface WebhookSecrets {
  readonly consumer_key: string;
  /** Of the first signature, and of challenges. */
  readonly consumer_secret: string;
  /** Of the second signature; a former one signs beside it for a day. */
  readonly secret: string;
}

/**
 * Both secrets that sign for a webhook. To use them is to send an event, whose message some node signs, and to have the webhook
 * validated by a node, which signs the challenge.
 */
async function webhookSecrets(world: World): Promise<Pair> {
  const { store, box } = world.service;
  const { user, receiver, ids, application, keys } = await makeHooks(world, 1);
  const [id] = ids as [string];
  const stored = await store.read((tx) => tx.webhooks.find(id));
  let value: WebhookSecrets = { ...keys, secret: box.open(stored!.secret, secretContext.webhook(id)) };
  let next = value;
  /** Those that a change may just have made. */
  const consumerSecrets = [value.consumer_secret];
  const arrivals = new Map<string, (arrived: Arrived) => void>();
  receiver.answer = (arrived, response) => {
    status(200)(arrived, response);
    arrivals.get(JSON.parse(arrived.body).data.payload.after)?.(arrived);
  };
  const isSignedBy = (consumer_secret: string, { headers, target }: Arrived): boolean =>
    headers[SIGNATURE_HEADER] === signatureOf(consumer_secret, target.slice(target.indexOf('?') + 1));
  receiver.answerChallenge = (arrived, response) => {
    const secret = consumerSecrets.findLast((each) => isSignedBy(each, arrived));
    assert.ok(secret, 'a challenge is signed by a secret of the application');
    said(JSON.stringify({ response_token: responseToken(secret, arrived) }))(arrived, response);
  };

  let sent = 0;
  const messageOf = async (node: number): Promise<Arrived> => {
    const number = sent++;
    const arrived = new Promise<Arrived>((resolve) => arrivals.set(String(number), resolve));
    await world.nodes[node]!.store.write((tx) => tx.events.append([bio(user, number)], now(world)));
    return arrived.finally(() => arrivals.delete(String(number)));
  };
  const signs = ({ consumer_secret, secret }: WebhookSecrets, { headers, body }: Arrived): boolean => {
    const stamp = { id: String(headers['webhook-id']), timestamp_s: Number(headers['webhook-timestamp']) };
    const [first] = String(headers['webhook-signature']).split(' ');
    return (
      headers[SIGNATURE_HEADER] === signatureOf(consumer_secret, body) &&
      first === standardHeaders([webhookKey(secret)], stamp, body)['webhook-signature']
    );
  };
  const call = async (node: number, method: string, target: string, authorization: string, body?: string) => {
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
    return rawCall(world.origins[node]!.sandbox, world.clock, { method, target, headers, ...(body && { body }) });
  };
  return {
    async use(node) {
      const message = await messageOf(node);
      const issued = await call(node, 'POST', '/oauth2/token', basic(next), 'grant_type=client_credentials');
      if (issued.status !== 200) return issued.status;
      const challenges = receiver.challenges.length;
      const validated = await call(node, 'PUT', `/2/webhooks/${id}`, `Bearer ${issued.body.access_token}`);
      if (validated.status !== 200) return validated.status;
      const challenge = receiver.challenges.slice(challenges).find((each) => isSignedBy(next.consumer_secret, each));
      assert.ok(challenge, 'a challenge is signed by the current secret');
      if (signs(value, message)) return 200;
      return signs(next, message) ? 401 : 0;
    },
    async end(store) {
      next = await store.write(async (tx) => {
        const secret = (await rotateSecret(registrarIn(world, tx), id))!;
        const renewed = await renewKeys(world, tx, application);
        consumerSecrets.push(renewed.consumer_secret);
        recordSecrets({ secret });
        return { ...renewed, secret };
      });
    },
    refused: 401,
    async restore() {
      value = next;
      consumerSecrets.splice(0, consumerSecrets.length - 1);
    },
  };
}
