import type { Clock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { SecretBox } from '../../src/base/secret-box.ts';
import type { EventFeed } from '../../src/contract/store/events.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { Deliverer } from '../../src/features/activity/webhooks/deliverer.ts';
import { newWebhookSecret } from '../../src/features/activity/webhooks/signing.ts';
import { openSender } from '../../src/http/sending/sender.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import type { Keys } from './client.ts';
import { bearerClient } from './events.ts';
import { anotherNode } from './nodes.ts';
import { register } from './people.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import type { World } from './world.ts';

/** What a deliverer works on. */
export interface DelivererSurroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly feed: EventFeed;
  readonly lease_s?: number;
}

/** A deliverer of a node of its own. */
export interface NodeDeliverer extends Deliverer {
  /** The webhooks that it has lost. */
  readonly lost: readonly string[];
}

/** A deliverer that stands for a node; its requests name the node as their transaction. */
export function delivererOf(
  id: string,
  { lease_s = 60, ...surroundings }: DelivererSurroundings,
  onLost: (webhook: string) => void = () => {},
): NodeDeliverer {
  const sender = openSender({ allowsPrivate: true, privateRanges: [], proxy: '', ownOrigins: () => [] });
  const lost: string[] = [];
  const deliverer = new Deliverer({
    ...surroundings,
    wallClock: surroundings.clock,
    ...{ lease_s, sender, node: anotherNode(id), retries_s: [3], nextTransactionId: () => id },
    onDelivered() {},
    onLeaseLost(webhook) {
      lost.push(webhook);
      onLost(webhook);
    },
    onError() {},
  });
  return Object.assign(deliverer, { lost });
}

/** The stored position up to which the log is settled for a webhook. */
export async function settledPosition({ service }: World, webhook: string): Promise<number> {
  const sql = `select settled_position from webhooks where id = '${webhook}'`;
  const [row] = await service.driver.read((session) => session.allRaw<{ settled_position: number }>(sql));
  return row!.settled_position;
}

/** Webhooks of one application with one receiver, each subscribed to the bio of one user. */
export interface Hooks {
  readonly user: string;
  /** Their application. */
  readonly application: string;
  readonly keys: Keys;
  readonly receiver: Receiver;
  /** The ids of the webhooks; messages to each go to the path with its id. */
  readonly ids: readonly string[];
  /** The texts of the messages to a webhook, with the node that sent each. */
  arrived(webhook: string): { readonly text: string; readonly node: string }[];
}

/** Makes webhooks as if their receiver had answered a challenge. */
export async function makeHooks(world: World, count: number): Promise<Hooks> {
  const { store, box, clock } = world.service;
  const keys = await register(world);
  const receiver = await openReceiver(keys.consumer_secret);
  const client = await bearerClient(world, keys);
  const { id: application } = (await store.read((tx) => tx.credentials.findApplicationByKey(keys.consumer_key)))!;
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const id = await store.write(async (tx) => {
      const id = String(1_800_000_000_000_000_000n + BigInt(await tx.takeNumbers('hooks of tests', 1, 1)));
      const url = `${new URL(receiver.url).origin}/${id}`;
      const now = formatInstant(clock.now());
      await tx.webhooks.add(
        {
          ...{ id, application_id: application, url, url_form: url, valid: 1, created_at: now, validated_at: now },
          ...{ failing_since: null, failure: null, former_secret: null, former_until: null },
          secret: box.seal(newWebhookSecret(secureRandom), secretContext.webhook(id)),
        },
        await tx.events.findLast(),
      );
      return id;
    });
    const subscription = { event_type: 'profile.update.bio', filter: { user_id: keys.user }, webhook_id: id };
    const reply = await client.call('POST', '/2/activity/subscriptions', subscription);
    if (reply.status !== 200) throw new Error(reply.text);
    ids.push(id);
  }
  const arrived: Hooks['arrived'] = (webhook) =>
    receiver.messages
      .filter(({ target }) => target === `/${webhook}`)
      .map(({ body, headers }) => ({
        text: JSON.parse(body).data.payload.after,
        node: String(headers['x-transaction-id']),
      }));
  return { user: keys.user, application, keys, receiver, ids, arrived };
}
