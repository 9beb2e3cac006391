import { join } from 'node:path';
import type { Dependencies } from '../../app/dependencies.ts';
import { demoNames, withLevelApplications } from '../../dev/demo-world.ts';
import { readKeys, WORLD_COPY } from '../../dev/dev-folder.ts';
import { RESETS } from '../../dev/snapshots/snapshot-tool.ts';
import { type Keys, namesInKeys, nthUserId, type WorldNames } from '../../dev/world-keys.ts';
import { namesInCopy } from './start-world.ts';

/** A world, and the keys by which it was known last. */
export interface KnownWorld {
  readonly names: WorldNames;
  readonly keys: Keys;
  /** Whether the passwords were right once. */
  readonly isSure: boolean;
}

/**
 * The world of a database that has one: by the keys of the data folder, or, when these are lost or those of another
 * database, by what else tells its names: the snapshot of its beginning, the copy of its file, or the seed.
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

/** The members of every world: all that is left of one whose file is gone. */
async function plainNames({ store, settings }: Dependencies): Promise<WorldNames> {
  const demo = await store.read((tx) => tx.credentials.findDemo());
  return {
    users: ['', 'other_'].map((prefix, nth) => ({ prefix, id: nthUserId(nth), password: undefined })),
    applications: [{ prefix: '', id: demo!.id }],
    others: { world: join(settings.data_folder, WORLD_COPY) },
  };
}
