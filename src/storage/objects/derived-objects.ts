import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { DerivedObjects, FileToStore } from '../../contract/services/derived-files.ts';
import { contentOfFile, ObjectMissing, type ObjectStore } from '../../contract/services/objects.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import type { Store } from '../../contract/store/store.ts';
import { isAbsent, syncFolder, undefinedIfAbsent } from '../core/files.ts';

/** Dependencies of the objects of derived files. */
export interface DerivedObjectsParts {
  readonly store: Pick<Store, 'write'>;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** What the keys of the objects begin with, without a slash at the end. */
  readonly prefix: string;
  /** The folder of copies of objects that are elsewhere, which has nothing else; created when needed. */
  readonly folder: string;
  /** Disk space for copies; what is in use may take more. */
  readonly bytes_max: number;
}

/** An object that was stored and never recorded is removed after this. @source decision 793 */
const RECORDED_WITHIN_MS = 3_600_000;
/** The folder of files that are not complete. Its name is that of no owner. */
const DRAFTS = '.drafts';

/**
 * Derived files as objects. Where objects are files of this machine, they are hard links and read in place; otherwise
 * copies are fetched, checked and kept until they are replaced or space is needed.
 * @source decision 792
 */
export function derivedObjects(parts: DerivedObjectsParts): DerivedObjects {
  const { store, objects, clock, random, prefix, folder, bytes_max } = parts;
  const folderOf = (owner: string): string => owner.replace(':', '-');
  const ownerOf = (name: string): string => name.replace('-', ':');
  const copyOf = (owner: string, { object_key }: DerivedFile): string =>
    join(folder, folderOf(owner), object_key.slice(object_key.lastIndexOf('/') + 1));
  /** The use of each copy in the order of uses; copies of an earlier process have none. */
  const uses = new Map<string, number>();
  let used = 0;
  const useOf = (path: string): void => void uses.set(path, ++used);
  const fetches = new Map<string, Promise<string | undefined>>();

  /** The path of a new file that is not complete yet; those of an earlier process are removed first. */
  let emptied: Promise<void> | undefined;
  async function draftPath(): Promise<string> {
    const drafts = join(folder, DRAFTS);
    emptied ??= rm(drafts, { recursive: true, force: true });
    await emptied;
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    return join(drafts, random.bytes(12).toString('hex'));
  }

  async function storeFile(key: string, { path }: FileToStore, signal: AbortSignal) {
    const isHere = objects.localPath(key) !== undefined;
    // A second name of the file, which may be moved away.
    const alias = await draftPath();
    await link(path, alias);
    try {
      const { size: bytes } = await stat(alias);
      // The disk is trusted as far as it was before there were objects.
      const sha256 = isHere ? '' : await digestOf(alias);
      await objects.put(key, contentOfFile(alias, bytes, isHere ? undefined : sha256), signal);
      return { bytes, sha256 };
    } finally {
      await rm(alias, { force: true });
    }
  }

  /** Its builder need not fetch it. */
  async function keepCopy(owner: string, file: DerivedFile, path: string): Promise<void> {
    const copy = copyOf(owner, file);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    await linkOrCopy(path, copy);
    await removeCopies(owner, file.name, copy);
  }

  async function removeCopies(owner: string, name: string, except?: string): Promise<void> {
    const own = join(folder, folderOf(owner));
    for (const each of await namesIn(own)) {
      const path = join(own, each);
      if (!each.startsWith(`${name}_`) || path === except) continue;
      await rm(path, { force: true });
      uses.delete(path);
    }
  }

  async function download(owner: string, file: DerivedFile, copy: string): Promise<string | undefined> {
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    const draft = await draftPath();
    const digest = createHash('sha256');
    let bytes = 0;
    try {
      const { content } = await objects.get(file.object_key);
      content.on('data', (piece: Uint8Array) => {
        digest.update(piece);
        bytes += piece.length;
      });
      await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
      if (bytes !== file.bytes || digest.digest('hex') !== file.sha256) return undefined;
      await rename(draft, copy);
      await syncFolder(dirname(copy));
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    await removeCopies(owner, file.name, copy);
    useOf(copy);
    await makeSpace(copy);
    return copy;
  }

  /** Removes the copies that were not used for longest while there are too many bytes. */
  async function makeSpace(except: string): Promise<void> {
    const copies: { path: string; bytes: number; use: number }[] = [];
    for (const owner of await namesIn(folder)) {
      for (const name of await namesIn(join(folder, owner))) {
        const path = join(folder, owner, name);
        const found = await stat(path).catch(undefinedIfAbsent);
        if (found) copies.push({ path, bytes: found.size, use: uses.get(path) ?? 0 });
      }
    }
    let total = copies.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of copies.sort((a, b) => a.use - b.use)) {
      if (total <= bytes_max) return;
      if (path === except) continue;
      await rm(path, { force: true });
      uses.delete(path);
      total -= bytes;
    }
  }

  const fetch: DerivedObjects['fetch'] = async (owner, file) => {
    const local = objects.localPath(file.object_key);
    if (local !== undefined) return existsSync(local) ? local : undefined;
    const copy = copyOf(owner, file);
    if (existsSync(copy)) {
      useOf(copy);
      return copy;
    }
    const fetching =
      fetches.get(copy) ??
      download(owner, file, copy).finally(() => {
        fetches.delete(copy);
      });
    fetches.set(copy, fetching);
    return fetching;
  };

  return {
    async store(owner, files, signal) {
      if (files.length === 0) return [];
      const keyed = files.map((file) => ({
        file,
        key: `${prefix}/${folderOf(owner)}/${file.name}_${random.bytes(12).toString('hex')}`,
      }));
      signal.throwIfAborted();
      const remove_at = formatInstant(clock.now() + RECORDED_WITHIN_MS);
      await store.write((tx) =>
        tx.derivedFiles.announce(
          keyed.map(({ key }) => key),
          remove_at,
        ),
      );
      const stored: DerivedFile[] = [];
      for (const { file, key } of keyed) {
        signal.throwIfAborted();
        const { name, version } = file;
        const derived = { name, version, object_key: key, ...(await storeFile(key, file, signal)) };
        if (objects.localPath(key) === undefined) await keepCopy(owner, derived, file.path);
        stored.push(derived);
      }
      return stored;
    },
    fetch,
    async findCopy(owner, name) {
      const own = join(folder, folderOf(owner));
      const copies = await Promise.all(
        (await namesIn(own))
          .filter((each) => each.startsWith(`${name}_`))
          .map(async (each) => ({
            path: join(own, each),
            found: await stat(join(own, each)).catch(undefinedIfAbsent),
          })),
      );
      return copies.sort((a, b) => (b.found?.ctimeMs ?? 0) - (a.found?.ctimeMs ?? 0))[0]?.path;
    },
    listOwners: async () => (await namesIn(folder)).map(ownerOf),
    async refresh(owner, files) {
      const own = join(folder, folderOf(owner));
      const here = await namesIn(own);
      if (files.length === 0) {
        await rm(own, { recursive: true, force: true });
        return;
      }
      for (const file of files) {
        const isKnown = here.some((each) => each.startsWith(`${file.name}_`));
        if (isKnown && objects.localPath(file.object_key) === undefined) await fetch(owner, file);
      }
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
  }
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of createReadStream(path)) digest.update(piece as Uint8Array);
  return digest.digest('hex');
}
