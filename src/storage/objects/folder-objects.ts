import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Random } from '../../base/random.ts';
import {
  ContentMismatch,
  isObjectKey,
  type ListedObject,
  type ObjectContent,
  ObjectMissing,
  type ObjectStore,
} from '../../contract/services/objects.ts';
import { mapDiskFailure, rethrowDiskFailure, withDiskFailureMapping } from '../core/disk-failures.ts';
import { writeAll } from '../core/file-sink.ts';
import { isAbsent, syncFolder, undefinedIfAbsent } from '../core/files.ts';

/** The folder of incomplete files below each first key component, which may be a separate disk. */
const INCOMING = 'incoming';
/** The first components of a path, such as `media/ready`, remain when the last object below them is removed. */
const LASTING_DEPTH = 2;

/**
 * Objects as files below a folder: the key is the path. A file is written elsewhere and then renamed, so that readers
 * see all of it or nothing; then the file and its folder are synced together, unless the data need not survive a power
 * failure.
 * @source decision 780, 789 and 1040
 */
export function folderObjects(folder: string, random: Random, { isSynced = true } = {}): ObjectStore {
  const pathOf = (key: string): string => {
    if (!isObjectKey(key)) throw new Error(`${JSON.stringify(key)} is not the key of an object`);
    return join(folder, key);
  };

  const place: ObjectStore['place'] = async (key, content, signal) => {
    const to = pathOf(key);
    if (content.file !== undefined) {
      try {
        return await settle(content.file, to, isSynced);
      } catch (error) {
        // It is on another disk.
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      }
    }
    const path = await written(folder, random, key, content, signal);
    try {
      const { synced } = await settle(path, to, isSynced);
      if (content.file !== undefined) await rm(content.file, { force: true });
      return { synced };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  };

  return withDiskFailureMapping<ObjectStore>({
    async put(key, content, signal) {
      await (await place(key, content, signal)).synced;
    },
    place,
    async get(key, range, signal) {
      const path = pathOf(key);
      const file = await open(path).catch((error) => {
        throw isAbsent(error) ? new ObjectMissing(key) : error;
      });
      const { size } = await file.stat();
      const start = range?.start ?? 0;
      const end = Math.min(range?.end ?? size, size);
      if (start >= end) {
        await file.close();
        return { bytes: size, content: Readable.from([]) };
      }
      return { bytes: size, content: file.createReadStream({ start, end: end - 1, ...(signal && { signal }) }) };
    },
    async head(key) {
      const found = await stat(pathOf(key)).catch(undefinedIfAbsent);
      return found && { bytes: found.size };
    },
    async remove(keys) {
      const folders = new Set<string>();
      for (const key of keys) {
        await rm(pathOf(key), { force: true });
        const components = key.split('/').slice(0, -1);
        for (; components.length > LASTING_DEPTH; components.pop()) folders.add(components.join('/'));
      }
      const deepestFirst = [...folders].sort((a, b) => b.length - a.length);
      for (const each of deepestFirst) await rmdir(join(folder, each)).catch(() => {});
    },
    async *list(prefix) {
      try {
        yield* filesIn(folder, prefix);
      } catch (error) {
        throw mapDiskFailure(error);
      }
    },
    localPath: pathOf,
    async removeIncomplete(before_ms) {
      for (const first of await readdir(folder).catch(noneIfAbsent)) {
        const incoming = join(folder, first, INCOMING);
        for (const name of await readdir(incoming).catch(noneIfAbsent)) {
          const path = join(incoming, name);
          const found = await stat(path).catch(undefinedIfAbsent);
          if (found && found.mtimeMs < before_ms) await rm(path, { force: true });
        }
      }
    },
  });
}

/** Writes the bytes of an object to a new file; returns its path. */
async function written(
  folder: string,
  random: Random,
  key: string,
  { bytes, sha256, open: source }: ObjectContent,
  signal?: AbortSignal,
): Promise<string> {
  const incoming = join(folder, key.split('/', 1)[0]!, INCOMING);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const path = join(incoming, random.bytes(12).toString('hex'));
  const digest = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const piece of source()) {
      signal?.throwIfAborted();
      size += piece.length;
      digest.update(piece);
      await writeAll(file, [piece]);
    }
    if (size !== bytes) throw new ContentMismatch(`${size} bytes arrived, and ${bytes} were announced`);
    if (sha256 !== undefined && digest.digest('hex') !== sha256) throw new ContentMismatch('the SHA-256 differs');
    await file.close();
    return path;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

/**
 * Renames a file to its final path, whose folder may be removed concurrently with its last object. Resolves with the
 * promise of the sync wrapped in an object, so that it is not awaited.
 */
async function settle(from: string, to: string, isSynced: boolean): Promise<{ readonly synced: Promise<void> }> {
  const file = await open(from, 'r+');
  try {
    for (let attempts = 3; ; attempts -= 1) {
      const unsynced = await makeFolder(dirname(to));
      // Sync first, so that a power failure cannot replace an earlier object by incomplete bytes.
      if (await stat(to).catch(undefinedIfAbsent)) await file.datasync();
      try {
        await rename(from, to);
      } catch (error) {
        if (!isAbsent(error) || attempts === 1) throw error;
        continue;
      }
      const syncs = isSynced ? [file.datasync(), ...[...unsynced, dirname(to)].map(syncFolder)] : [];
      const synced = Promise.all(syncs).finally(() => file.close());
      return { synced: synced.then(() => {}, rethrowDiskFailure) };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* filesIn(folder: string, prefix: string): AsyncGenerator<ListedObject> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true }).catch(noneIfAbsent)) {
    const key = prefix + entry.name;
    if (entry.isDirectory()) {
      const isIncoming = entry.name === INCOMING && prefix.split('/').length === 2;
      if (!isIncoming) yield* filesIn(folder, `${key}/`);
    } else if (isObjectKey(key)) {
      // It may have been removed meanwhile.
      const found = await stat(join(folder, key)).catch(undefinedIfAbsent);
      if (found) yield { key, bytes: found.size, storedAt_ms: found.mtimeMs };
    }
  }
}

/** Creates a folder and its missing parents; returns the folders to sync. */
async function makeFolder(path: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  const unsynced: string[] = [];
  if (first === undefined) return unsynced;
  for (let each = path; each.length >= first.length; each = dirname(each)) unsynced.push(dirname(each));
  return unsynced;
}

function noneIfAbsent(error: unknown): [] {
  if (isAbsent(error) || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return [];
  throw error;
}
