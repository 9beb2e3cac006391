import type { Clock } from '../../../base/clock.ts';
import type { HmacKey } from '../../../base/hmac.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import { secretContext } from '../../../contract/store/sealed-columns.ts';
import type { Webhook } from '../../../contract/store/webhooks.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { keyOf, webhookKey } from './signing.ts';

/** A webhook with everything needed to send to it, secrets unsealed. */
export interface Receiver {
  readonly id: string;
  readonly url: string;
  /** `suspended`: its application is suspended. */
  readonly state: 'active' | 'invalid' | 'suspended';
  /** The key of the first signature. */
  readonly consumerKey: HmacKey;
  /** The keys of the second signature: the current secret, and the previous one while it is valid. */
  signingKeys(): readonly HmacKey[];
}

/** A cache of receivers. */
export interface Receivers {
  /** Undefined when the webhook does not exist. */
  find(id: string): Promise<Receiver | undefined>;
  /**
   * Like `find`, but sees all changes of other processes before the call: nothing is signed with a replaced secret, and
   * no message is sent to an invalid webhook.
   */
  findNow(id: string): Promise<Receiver | undefined>;
  /** Adds a listener that is called when receivers have changed. */
  onChange(listener: () => void): void;
}

/**
 * Opens a cache that reads each receiver once. It is cleared before a change of webhooks or applications is
 * acknowledged.
 */
export function openReceivers({
  store,
  box,
  clock,
}: {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
}): Receivers {
  let cache = new Map<string, Promise<Receiver | undefined>>();
  const listeners: (() => void)[] = [];
  store.onInvalidate(['webhook', 'application'], () => {
    cache = new Map();
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
      state: application.suspended ? 'suspended' : webhook.valid ? 'active' : 'invalid',
      consumerKey: keyOf(Buffer.from(box.open(application.consumer_secret, secretContext.application(application.id)))),
      signingKeys: signingKeysOf(webhook, box, clock),
    };
  };

  const receivers: Receivers = {
    find(id) {
      const there = cache.get(id);
      if (there) return there;
      const held = cache;
      // Cleared during the read: read again.
      const found = read(id).then((receiver) => (cache === held ? receiver : receivers.find(id)));
      held.set(id, found);
      // A failed read is not cached.
      found.catch(() => held.delete(id));
      return found;
    },
    async findNow(id) {
      await store.fence?.();
      return receivers.find(id);
    },
    onChange: (listener) => void listeners.push(listener),
  };
  return receivers;
}

/** The signing keys of a webhook; includes the former secret until it expires. */
function signingKeysOf(webhook: Webhook, box: SecretBox, clock: Clock): Receiver['signingKeys'] {
  const { id, secret, former_secret, former_until } = webhook;
  const context = secretContext.webhook(id);
  const unsealed = (sealed: string): HmacKey => keyOf(webhookKey(box.open(sealed, context)));
  const own = unsealed(secret);
  const former = former_secret === null ? undefined : unsealed(former_secret);
  return () => (former && former_until! > formatInstant(clock.now()) ? [own, former] : [own]);
}
