import { keyFingerprint, type SecretBox } from '../../base/secret-box.ts';
import type { StoredNode } from '../../contract/store/nodes.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import type { ReadTransaction, Store } from '../../storage/unit-of-work.ts';

/** The master keys of a server, the one that seals first: `ID:FINGERPRINT`, separated by spaces. */
export function describeMasterKeys(currentKeyId: string, keys: Readonly<Record<string, Buffer>>): string {
  const { [currentKeyId]: current, ...old } = keys;
  return [[currentKeyId, current!] as const, ...Object.entries(old)]
    .map(([id, key]) => `${id}:${keyFingerprint(key)}`)
    .join(' ');
}

/**
 * Why a server with these keys cannot work beside others: each must be able to open what the others seal. Undefined when
 * it can, or when keys are unknown.
 * @source decision 803
 */
export function keyConflict(
  own: string,
  others: readonly Pick<StoredNode, 'hostname' | 'master_keys'>[],
): string | undefined {
  const [current, ...old] = own.split(' ');
  for (const { hostname, master_keys } of others) {
    if (own === '' || master_keys === '') continue;
    const [its, ...itsOld] = master_keys.split(' ');
    if (![current, ...old].includes(its!)) {
      return `the server on ${hostname} seals secrets with the master key ${its}, which this one does not have`;
    }
    if (![its, ...itsOld].includes(current!)) {
      return `the server on ${hostname} does not have the master key ${current}, with which this one would seal secrets`;
    }
  }
  return undefined;
}

/**
 * The servers whose current key differs from that of `own`: secrets that they store after a resealing still need their key.
 * Servers with unknown keys are left out.
 * @source decision 836
 */
export function findServersWithOtherKey(
  own: string,
  others: readonly Pick<StoredNode, 'hostname' | 'master_keys'>[],
): string[] {
  const [current] = own.split(' ');
  return others
    .filter(({ master_keys }) => master_keys !== '' && master_keys.split(' ')[0] !== current)
    .map(({ hostname }) => hostname);
}

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
