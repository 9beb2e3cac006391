import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import type { Dependencies } from '../../app/dependencies.ts';
import { type DemoKeys, demoNames, withLevelApplications } from '../../dev/demo-world.ts';
import { type DevFile, readKeys, WORLD_COPY, writeDevFile } from '../../dev/dev-folder.ts';
import { RESETS } from '../../dev/snapshots/snapshot-tool.ts';
import { type Keys, namesInKeys, nthUserId, type WorldNames, worldKeysReader } from '../../dev/world-keys.ts';
import { namesInCopy } from './start-world.ts';

/** A world and its last known keys. */
export interface KnownWorld {
  readonly names: WorldNames;
  readonly keys: Keys;
  /** Whether the passwords were verified once. */
  readonly isSure: boolean;
}

/**
 * Identifies the world of a database by the keys of the data folder. If these are lost or belong to another database, by
 * the initial snapshot, the copy of the world file, or the seed.
 * @source decision 1050
 */
export async function knownWorld(parts: Dependencies): Promise<KnownWorld> {
  const { names, ...known } = (await byKeys(parts)) ?? { ...(await withoutKeys(parts)), isSure: false };
  const isOfFile = names.others.world !== undefined;
  return { names: isOfFile ? names : await withLevelApplications(parts, names), ...known };
}

async function byKeys(parts: Dependencies): Promise<KnownWorld | undefined> {
  const { store, settings } = parts;
  const named = async (keys: Keys | undefined): Promise<KnownWorld | undefined> => {
    const names = keys && (await store.read((tx) => namesInKeys(tx, keys)));
    return names && { names, keys, isSure: true };
  };
  const own = await named(readKeys(settings.data_folder));
  if (own) return own;
  const { snapshotsOf } = await import('./snapshot-subject.ts');
  return named((await snapshotsOf(parts)?.find(RESETS.seed))?.notes.keys);
}

async function withoutKeys(parts: Dependencies): Promise<Pick<KnownWorld, 'names' | 'keys'>> {
  const { store, settings } = parts;
  const names = (await namesInCopy(parts)) ?? (await store.read((tx) => demoNames(tx, settings)));
  return { names: names ?? (await plainNames(parts)), keys: {} };
}

/** The members that every world has, for a world whose file is lost. */
async function plainNames({ store, settings }: Dependencies): Promise<WorldNames> {
  const demo = await store.read((tx) => tx.credentials.findDemo());
  return {
    users: ['', 'other_'].map((prefix, nth) => ({ prefix, id: nthUserId(nth), password: undefined })),
    applications: [{ prefix: '', id: demo!.id }],
    others: { world: join(settings.data_folder, WORLD_COPY) },
  };
}

/** Keeps `dev.json` up to date: rewrites it when keys, tokens or users change. @source decision 1050 */
export interface DevFileKeeper {
  /** Writes the file, and keeps these addresses in it. */
  begin(addresses: Omit<DevFile, keyof DemoKeys>): DevFile;
  /** Switches to a restored world and the keys of its snapshot. */
  adopt(known: Keys): Promise<void>;
  /** Stops rewriting; resolves when a pending write has ended. */
  end(): Promise<void>;
}

/** Creates the keeper of a world. */
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
  // The reads must not be attributed to the request that caused the change.
  if (followsKeys) store.onInvalidate(['application', 'token', 'user'], AsyncLocalStorage.bind(renewSoon));
  return {
    begin(own) {
      addresses = own;
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
