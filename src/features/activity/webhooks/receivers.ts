import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Store } from '../../../contract/store/store.ts';
import type { Webhook } from '../../../contract/store/webhooks.ts';
import { webhookKey } from './signing.ts';

/** A webhook with all that sending to it needs, secrets in the clear. */
export interface Receiver {
  readonly id: string;
  readonly url: string;
  /** `stands still`: its application is suspended. */
  readonly state: 'in use' | 'invalid' | 'stands still';
  /** What the first signature is made with. */
  readonly consumerKey: KeyObject;
  /** What the second signature is made with now: the secret, and the one before while it lasts. */
  keys(): readonly KeyObject[];
}

/** Receivers in use, kept in memory. */
export interface Receivers {
  /** Undefined when there is no such webhook. */
  find(id: string): Promise<Receiver | undefined>;
  /** Is told that receivers have changed. */
  onChange(listener: () => void): void;
}

/** Reads a receiver once; forgets all of them before a change of webhooks or applications is acknowledged. */
export function receiversOf({
  store,
  box,
  clock,
}: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
}): Receivers {
  let known = new Map<string, Promise<Receiver | undefined>>();
  const listeners: (() => void)[] = [];
  store.onInvalidate((tags) => {
    const isMeant = (tag: string): boolean => tag.startsWith('webhook:') || tag.startsWith('application:');
    if (tags !== 'everything' && ![...tags].some(isMeant)) return;
    known = new Map();
    for (const listener of listeners) listener();
  });

  const read = async (id: string): Promise<Receiver | undefined> => {
    const found = await store.read(async (tx) => {
      const webhook = await tx.webhooks.find(id);
      const application = webhook && (await tx.credentials.findApplication(webhook.application_id));
      return webhook && application && { webhook, application };
    });
    if (!found) return undefined;
    const { webhook, application } = found;
    return {
      id,
      url: webhook.url,
      state: application.suspended ? 'stands still' : webhook.valid ? 'in use' : 'invalid',
      consumerKey: createSecretKey(
        Buffer.from(box.open(application.consumer_secret, secretContext.application(application.id))),
      ),
      keys: keysOf(webhook, box, clock),
    };
  };

  const receivers: Receivers = {
    find(id) {
      const there = known.get(id);
      if (there) return there;
      const held = known;
      // What has changed while it was read is read again.
      const found = read(id).then((receiver) => (known === held ? receiver : receivers.find(id)));
      held.set(id, found);
      // What could not be read is read again.
      found.catch(() => held.delete(id));
      return found;
    },
    onChange: (listener) => void listeners.push(listener),
  };
  return receivers;
}

/** The keys that a webhook signs with; the former secret until its time has come. */
function keysOf(webhook: Webhook, box: SecretBox, clock: Clock): Receiver['keys'] {
  const { id, secret, former_secret, former_until } = webhook;
  const context = secretContext.webhook(id);
  const keyOf = (sealed: string): KeyObject => createSecretKey(webhookKey(box.open(sealed, context)));
  const own = keyOf(secret);
  const former = former_secret === null ? undefined : keyOf(former_secret);
  return () => (former && former_until! > formatInstant(clock.now()) ? [own, former] : [own]);
}
