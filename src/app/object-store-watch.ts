import { secureRandom } from '../base/random.ts';
import { after } from '../base/timers.ts';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import { checkObjectStore } from '../features/platform/object-store-check.ts';
import type { Dependencies } from './dependencies.ts';

/** Delay before an unavailable store is checked again. */
const RETRY_MS = 1000;

/**
 * Checks that the object store belongs to the database, if one is configured or recorded; a data folder that always was the
 * store of its only server needs no check. Retries until an unavailable store answers, and calls `isOther` with the reason
 * if it turns out to belong to another database.
 * @throws OtherObjectStore
 * @source decision 849
 */
export async function watchObjectStore(
  { settings, store, objects, log }: Pick<Dependencies, 'settings' | 'store' | 'objects' | 'log'>,
  isOther: (reason: string) => void,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  if (settings.object_store === '' && (await store.read((tx) => tx.objectStoreId.find())) === undefined) return;
  let isStopped = false;
  let callOff = (): void => {};
  let checking = Promise.resolve();
  const check = async (): Promise<void> => {
    try {
      await checkObjectStore({ store, objects: objects.store }, secureRandom);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (isStopped) return;
      callOff = after(RETRY_MS, () => {
        checking = check().catch((err) => {
          log.fatal({ err }, 'this server cannot go on with its object store');
          isOther((err as Error).message);
        });
      });
    }
  };
  cleanup.defer(async () => {
    isStopped = true;
    callOff();
    await checking;
  });
  await check();
}
