import type { Random } from '../../base/random.ts';
import { contentOfBytes, type ObjectStore } from '../../contract/services/objects.ts';
import type { Store } from '../../storage/unit-of-work.ts';

/** Content of the object that identifies a store, for people who find it. Only its key counts. */
const CONTENT = Buffer.from(
  'By this object, the servers of a database recognize their object store. Copy it with all others.\n',
);

/** The key of the object that identifies a store. */
export function storeIdKey(id: string): string {
  return `identity/${id}`;
}

/** The object store is not the one of the database. */
export class OtherObjectStore extends Error {
  override readonly name = 'OtherObjectStore';
}

/**
 * Checks that the object store is the one that belongs to the database. The first one ever gets an object with a random
 * name, which the database records: a node that finds that object under its key has the same store.
 * @throws OtherObjectStore
 * @throws StoreUnavailable
 * @source decision 849
 */
export async function checkObjectStore(
  { store, objects }: { readonly store: Store; readonly objects: ObjectStore },
  random: Random,
): Promise<void> {
  const known = (await store.read((tx) => tx.objectStoreId.find())) ?? (await claim(store, objects, random));
  if ((await objects.head(storeIdKey(known))) !== undefined) return;
  throw new OtherObjectStore(
    `object_store is not the one of this database, which has an object ${storeIdKey(known)}: give all servers of a database the same one; a folder must be the same folder for all of them. If the objects were moved, copy that one too`,
  );
}

/** Of two servers that find no id at once, one records its own; its object is there by then. */
async function claim(store: Store, objects: ObjectStore, random: Random): Promise<string> {
  const own = random.bytes(16).toString('hex');
  await objects.put(storeIdKey(own), contentOfBytes(CONTENT));
  const recorded = await store.write((tx) => tx.objectStoreId.claim(own));
  if (recorded !== own) await objects.remove([storeIdKey(own)]);
  return recorded;
}
