import { secureRandom } from '../base/random.ts';
import { after } from '../base/timers.ts';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import type { ObjectStore } from '../contract/services/objects.ts';
import { checkObjectStore } from '../features/platform/object-store-check.ts';
import { bucketOf } from '../settings/objects.ts';
import type { Settings } from '../settings.ts';
import type { ObjectStoreListener } from '../storage/objects/attempts.ts';
import { folderObjects } from '../storage/objects/folder-objects.ts';
import type { Dependencies } from './dependencies.ts';

/** The object store of a process. */
export interface OpenObjects {
  readonly store: ObjectStore;
  /** The folder of the objects; undefined for a bucket. */
  readonly folder: string | undefined;
  /** Whether the last call was answered; undefined for a folder. */
  readonly isUp: (() => boolean) | undefined;
  /** Rejects while the store is unavailable; undefined for a folder, whose disk is checked separately. */
  readonly check: (() => Promise<void>) | undefined;
  close(): void;
}

type ObjectSettings = Pick<Settings, 'data_folder' | Extract<keyof Settings, `object_store${string}`>>;

/** Opens the object store of the settings. The client of a bucket is loaded only for one. @source decision 781 */
export async function openObjects(
  settings: ObjectSettings,
  listener: ObjectStoreListener,
  { isSynced = true } = {},
): Promise<OpenObjects> {
  const named = bucketOf(settings.object_store);
  if (!named) {
    const folder = settings.object_store || settings.data_folder;
    const store = folderObjects(folder, secureRandom, { isSynced });
    return { store, folder, isUp: undefined, check: undefined, close: () => {} };
  }
  const { S3Objects } = await import('../storage/objects/s3-objects.ts');
  const store = new S3Objects(
    {
      ...named,
      endpoint: settings.object_store_endpoint,
      region: settings.object_store_region,
      keyId: settings.object_store_key_id,
      secret: settings.object_store_secret,
      isPathStyle: settings.object_store_path_style,
      silence_ms: settings.object_store_timeout_s * 1000,
    },
    listener,
  );
  return {
    store,
    folder: undefined,
    isUp: () => store.isUp(),
    async check() {
      // Without other calls, only this one notices that the store is available again.
      if (!store.isUp()) await store.head('probe/none');
    },
    close: () => store.close(),
  };
}

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
