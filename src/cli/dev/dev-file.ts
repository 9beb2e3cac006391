import { AsyncLocalStorage } from 'node:async_hooks';
import type { Dependencies } from '../../app/dependencies.ts';
import type { DemoKeys } from '../../dev/demo-world.ts';
import { type DevFile, writeDevFile } from '../../dev/dev-folder.ts';
import { type Keys, namesInKeys, worldKeysReader } from '../../dev/world-keys.ts';
import type { KnownWorld } from './known-world.ts';

/** Keeps `dev.json` as the database is: written again when keys, tokens or users change. @source decision 1050 */
export interface DevFileKeeper {
  /** Writes the file, from now on with these addresses. */
  begin(addresses: Omit<DevFile, keyof DemoKeys>): DevFile;
  /** Goes on with a restored world, by the keys that were noted with it. */
  adopt(known: Keys): Promise<void>;
  /** Writes no more; resolves when nothing is being written. */
  end(): Promise<void>;
}

/** The keeper of the file of a world. */
export async function devFileKeeper(
  parts: Dependencies,
  world: KnownWorld,
  { followsKeys }: { readonly followsKeys: boolean },
): Promise<DevFileKeeper> {
  const { store, settings, log } = parts;
  let reader = worldKeysReader(parts, world.names, world);
  let keys = await reader.read(world.keys);
  let addresses: Omit<DevFile, keyof DemoKeys> | undefined;
  let hasEnded = false;
  let isWaiting = false;
  let work = Promise.resolve();
  const write = (): DevFile => {
    const file = { ...addresses!, ...(keys as unknown as DemoKeys) };
    writeDevFile(settings.data_folder, file);
    return file;
  };
  const renew = async (): Promise<void> => {
    const now = await reader.read(keys);
    const isSame = JSON.stringify(now) === JSON.stringify(keys);
    keys = now;
    if (addresses && !hasEnded && !isSame) write();
  };
  const renewSoon = (): void => {
    if (isWaiting || hasEnded) return;
    isWaiting = true;
    work = work.then(() => {
      isWaiting = false;
      return hasEnded ? undefined : renew().catch((err) => log.warn({ err }, 'dev.json may have former keys'));
    });
  };
  // The inspector must not count what this reads for the request that changed something.
  if (followsKeys) store.onInvalidate(['application', 'token', 'user'], AsyncLocalStorage.bind(renewSoon));
  return {
    begin(given) {
      addresses = given;
      return write();
    },
    async adopt(known) {
      await work;
      const names = await store.read((tx) => namesInKeys(tx, known));
      if (names) {
        reader = worldKeysReader(parts, names, { isSure: true });
        keys = known;
      }
      keys = await reader.read(keys);
      if (addresses && !hasEnded) write();
    },
    async end() {
      hasEnded = true;
      await work;
    },
  };
}
