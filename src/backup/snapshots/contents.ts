import { copyFile, link, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { secureRandom } from '../../base/random.ts';
import type { ObjectStore } from '../../contract/services/objects.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { isAbsent } from '../../storage/core/files.ts';
import { folderObjects } from '../../storage/objects/folder-objects.ts';

/** The subject of a snapshot. */
export interface SnapshotSource {
  /** Of SQLite. */
  readonly driver: Driver;
  /** Objects as files of this machine. */
  readonly objects: ObjectStore;
  readonly dataFolder: string;
}

/** The keys of objects that rows name. */
const PREFIXES = [
  'media/parts/',
  'media/sealed/',
  'media/ready/',
  'audiences/images/',
  'audiences/members/',
  'keywords/index/',
];

/** Folders of the data folder whose files are made from the contents, and made again when they are missing. */
const WORK = ['audiences/memberships', 'audiences/directory', 'keywords/building'];

/** The database in the folder of a snapshot, which is laid out as a data folder is. */
export const databaseOf = (folder: string): string => join(folder, 'barker.db');

/** The objects in the folder of a snapshot. */
export const objectsOf = (folder: string): ObjectStore => folderObjects(folder, secureRandom);

/**
 * Copies the contents of a service to an empty folder, as of one moment; the service goes on. Objects are hard links,
 * because they are never changed: those before the database is copied, which may be removed meanwhile, and those after.
 * Returns the size in bytes.
 */
export async function copyContents({ driver, objects }: SnapshotSource, folder: string): Promise<number> {
  const target = objectsOf(folder);
  await linkObjects(objects, target);
  await driver.copyTo!(databaseOf(folder));
  await linkObjects(objects, target);
  return contentsSize(folder);
}

/** The size of the database and the objects in the folder of a snapshot, in bytes. */
export async function contentsSize(folder: string): Promise<number> {
  let { size } = await stat(databaseOf(folder));
  for await (const { bytes } of listObjects(objectsOf(folder))) size += bytes;
  return size;
}

/**
 * Replaces the contents of a service, which keeps still meanwhile, by those of a folder. Objects are added before the
 * database is replaced and removed after that, so that the rows of either have theirs, whenever the process is killed.
 * @source decision 878
 */
export async function replaceContents({ driver, objects, dataFolder }: SnapshotSource, folder: string): Promise<void> {
  const source = objectsOf(folder);
  const kept = await linkObjects(source, objects);
  for (const work of WORK) await rm(join(dataFolder, work), { recursive: true, force: true });
  await driver.replaceWith!(databaseOf(folder));
  const unused: string[] = [];
  for await (const { key } of listObjects(objects)) if (!kept.has(key)) unused.push(key);
  await objects.remove(unused);
}

async function* listObjects(store: ObjectStore) {
  for (const prefix of PREFIXES) yield* store.list(prefix);
}

/** Returns the keys of the source. */
async function linkObjects(from: ObjectStore, to: ObjectStore): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of listObjects(from)) {
    keys.add(key);
    await linkFile(from.localPath(key)!, to.localPath(key)!);
  }
  return keys;
}

async function linkFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It is there already, or was removed meanwhile, and no row names it.
    if (code === 'EEXIST' || isAbsent(error)) return;
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error;
    await copyFile(from, to);
  }
}
