import type { SecretBox } from '../../base/secret-box.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import type { ReadTransaction, Store } from '../../storage/unit-of-work.ts';

/**
 * Seals the secret of the first application with the current master key. Only a starting server does so: from that
 * secret `keys reseal` can tell whether a server has the key.
 * @source decision 604
 */
export async function markMasterKeyInUse(store: Store, box: SecretBox): Promise<void> {
  const sample = await store.read((tx) => tx.credentials.findSomeApplication());
  if (!sample || !box.needsResealing(sample.consumer_secret)) return;
  await store.write(async (tx) => {
    const first = await tx.credentials.lockApplication(sample.id);
    if (!first) return;
    const context = secretContext.application(first.id);
    const consumer_secret = box.seal(box.open(first.consumer_secret, context), context);
    await tx.credentials.changeApplication(first.id, { consumer_secret });
  });
}

/** Whether a server has been started with the current master key; true when there is no secret yet. */
export async function isMasterKeyInUse(tx: ReadTransaction, box: SecretBox): Promise<boolean> {
  const first = await tx.credentials.findSomeApplication();
  return !first || !box.needsResealing(first.consumer_secret);
}
