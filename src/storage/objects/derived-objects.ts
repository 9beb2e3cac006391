import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { DerivedObjects, FileToStore } from '../../contract/services/derived-files.ts';
import { contentOfFile, ObjectMissing, type ObjectStore } from '../../contract/services/objects.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import { digestOf, isAbsent, syncFolder, undefinedIfAbsent } from '../core/files.ts';
import type { Store } from '../unit-of-work.ts';

/** Dependencies of the objects of derived files. */
export interface DerivedObjectsParts {
  readonly store: Pick<Store, 'write'>;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** The prefix of object keys, without a trailing slash. */
  readonly prefix: string;
  /** The folder of copies of remote objects, used for nothing else; created on demand. */
  readonly folder: string;
  /** Disk space for copies in bytes; copies in use may exceed it. Undefined: unlimited. */
  readonly bytes_max: number | undefined;
}

/** A stored object that was never recorded is removed after this. @source decision 793 */
const RECORDED_WITHIN_MS = 3_600_000;
/** An incomplete file unchanged for this long is abandoned; newer ones may belong to another process. */
const ABANDONED_AFTER_MS = 600_000;
/** Maximum number of concurrent transfers. */
const AT_ONCE = 4;
/** The folder of incomplete files; not a valid owner name. */
const DRAFTS = '.drafts';

/**
 * Derived files as objects. Local objects are hard links, read in place; copies of remote objects are fetched, verified
 * and kept until they are replaced or space is needed.
 * @source decision 792
 */
export class StoredFiles implements DerivedObjects {
  readonly #parts;
  /** The sequence number of the last use of each copy; copies of an earlier process have none. */
  readonly #uses = new Map<string, number>();
  #used = 0;
  readonly #fetches = new Map<string, Promise<string | undefined>>();
  /** When abandoned drafts were last removed. */
  #clearedAt_ms = Number.NEGATIVE_INFINITY;
  #cleared: Promise<void> | undefined;

  constructor(parts: DerivedObjectsParts) {
    this.#parts = parts;
  }

  async store(owner: string, files: readonly FileToStore[], signal: AbortSignal): Promise<DerivedFile[]> {
    if (files.length === 0) return [];
    const { store, objects, clock, random, prefix } = this.#parts;
    const keyed = files.map((file) => ({
      file,
      key: `${prefix}/${folderNameOf(owner)}/${file.name}_${random.bytes(12).toString('hex')}`,
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
    await forEachOf(keyed, AT_ONCE, async ({ file, key }, at) => {
      signal.throwIfAborted();
      const { name, version } = file;
      const derived = { name, version, object_key: key, ...(await this.#storeFile(key, file, signal)) };
      if (objects.localPath(key) === undefined) await this.#keepCopy(owner, derived, file.path);
      stored[at] = derived;
    });
    return stored;
  }

  async fetch(owner: string, file: DerivedFile): Promise<string | undefined> {
    const local = this.#parts.objects.localPath(file.object_key);
    if (local !== undefined) return existsSync(local) ? local : undefined;
    const copy = this.#copyOf(owner, file);
    if (existsSync(copy)) {
      this.#use(copy);
      return copy;
    }
    const fetching =
      this.#fetches.get(copy) ??
      this.#download(owner, file, copy).finally(() => {
        this.#fetches.delete(copy);
      });
    this.#fetches.set(copy, fetching);
    return fetching;
  }

  async findCopy(owner: string, name: string): Promise<string | undefined> {
    const own = this.#folderOf(owner);
    const copies = await Promise.all(
      (await namesIn(own))
        .filter((each) => each.startsWith(`${name}_`))
        .map(async (each) => ({
          path: join(own, each),
          found: await stat(join(own, each)).catch(undefinedIfAbsent),
        })),
    );
    return copies.sort((a, b) => (b.found?.ctimeMs ?? 0) - (a.found?.ctimeMs ?? 0))[0]?.path;
  }

  async listOwners(): Promise<string[]> {
    return (await namesIn(this.#parts.folder)).map((name) => name.replace('-', ':'));
  }

  async refresh(
    owner: string,
    find: () => Promise<readonly DerivedFile[]>,
    which: 'all' | 'those here',
  ): Promise<void> {
    const own = this.#folderOf(owner);
    const here = await namesIn(own);
    const files = await find();
    if (files.length === 0) {
      // Remove the folder too, so that no fetch in progress leaves a file.
      await rm(own, { recursive: true, force: true });
      for (const name of here) this.#uses.delete(join(own, name));
      return;
    }
    const elsewhere = files.filter(({ object_key }) => this.#parts.objects.localPath(object_key) === undefined);
    const names = new Set(here.map(nameOf));
    const wanted = which === 'all' ? elsewhere : elsewhere.filter(({ name }) => names.has(name));
    await forEachOf(wanted, AT_ONCE, async (file) => void (await this.fetch(owner, file)));
    const present = new Set(files.map(({ name }) => name));
    for (const each of here) if (!present.has(nameOf(each))) await this.#removeCopy(join(own, each));
  }

  async isIntact({ object_key, bytes, sha256 }: DerivedFile): Promise<boolean> {
    const { objects } = this.#parts;
    const found = await objects.head(object_key);
    if (found?.bytes !== bytes || sha256 === '') return found?.bytes === bytes;
    const digest = createHash('sha256');
    try {
      const { content } = await objects.get(object_key);
      for await (const piece of content) digest.update(piece as Uint8Array);
    } catch (error) {
      if (error instanceof ObjectMissing) return false;
      throw error;
    }
    return digest.digest('hex') === sha256;
  }

  /** The folder of the copies of an owner. */
  #folderOf(owner: string): string {
    return join(this.#parts.folder, folderNameOf(owner));
  }

  #copyOf(owner: string, { object_key }: DerivedFile): string {
    return join(this.#folderOf(owner), object_key.slice(object_key.lastIndexOf('/') + 1));
  }

  #use(path: string): void {
    this.#uses.set(path, ++this.#used);
  }

  /** The path of a new incomplete file; also removes those abandoned by killed processes. */
  async #draftPath(): Promise<string> {
    const drafts = join(this.#parts.folder, DRAFTS);
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    if (elapsed_ms() - this.#clearedAt_ms > ABANDONED_AFTER_MS) {
      this.#clearedAt_ms = elapsed_ms();
      this.#cleared = removeAbandoned(drafts);
    }
    await this.#cleared;
    return join(drafts, this.#parts.random.bytes(12).toString('hex'));
  }

  async #storeFile(key: string, { path }: FileToStore, signal: AbortSignal) {
    const { objects } = this.#parts;
    const isHere = objects.localPath(key) !== undefined;
    // A second link to the file, which may be moved.
    const alias = await this.#draftPath();
    await link(path, alias);
    try {
      const { size: bytes } = await stat(alias);
      // Local files are trusted without a checksum.
      const sha256 = isHere ? '' : await digestOf(alias);
      await objects.put(key, contentOfFile(alias, bytes, isHere ? undefined : sha256), signal);
      return { bytes, sha256 };
    } finally {
      await rm(alias, { force: true });
    }
  }

  /** Keeps a copy of a stored file, so that its builder need not fetch it. */
  async #keepCopy(owner: string, file: DerivedFile, path: string): Promise<void> {
    const copy = this.#copyOf(owner, file);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    await linkOrCopy(path, copy);
    await this.#removeOtherCopies(owner, file.name, copy);
  }

  async #removeOtherCopies(owner: string, name: string, except: string): Promise<void> {
    const own = this.#folderOf(owner);
    for (const each of await namesIn(own)) {
      const path = join(own, each);
      if (each.startsWith(`${name}_`) && path !== except) await this.#removeCopy(path);
    }
  }

  async #removeCopy(path: string): Promise<void> {
    await rm(path, { force: true });
    this.#uses.delete(path);
  }

  async #download(owner: string, file: DerivedFile, copy: string): Promise<string | undefined> {
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    const draft = await this.#draftPath();
    const digest = createHash('sha256');
    let bytes = 0;
    try {
      const { content } = await this.#parts.objects.get(file.object_key);
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
    await this.#removeOtherCopies(owner, file.name, copy);
    this.#use(copy);
    await this.#makeSpace(copy);
    return copy;
  }

  /** Evicts the least recently used copies until they fit. */
  async #makeSpace(except: string): Promise<void> {
    const { folder, bytes_max } = this.#parts;
    if (bytes_max === undefined) return;
    const copies: { path: string; bytes: number; use: number }[] = [];
    for (const owner of await namesIn(folder)) {
      for (const name of await namesIn(join(folder, owner))) {
        const path = join(folder, owner, name);
        const found = await stat(path).catch(undefinedIfAbsent);
        if (found) copies.push({ path, bytes: found.size, use: this.#uses.get(path) ?? 0 });
      }
    }
    let total = copies.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of copies.sort((a, b) => a.use - b.use)) {
      if (total <= bytes_max) return;
      if (path === except) continue;
      await this.#removeCopy(path);
      total -= bytes;
    }
  }
}

/** The name of the folder of an owner. */
function folderNameOf(owner: string): string {
  return owner.replace(':', '-');
}

/** The name of a file, from that of a copy of it. */
function nameOf(copy: string): string {
  return copy.slice(0, copy.lastIndexOf('_'));
}

/** Processes items with limited concurrency; rejects with the first error once the started ones have ended. */
async function forEachOf<T>(
  list: readonly T[],
  max: number,
  work: (each: T, at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < list.length) {
      const at = next++;
      try {
        await work(list[at]!, at);
      } catch (error) {
        next = list.length;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(max, list.length) }, worker));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

async function removeAbandoned(folder: string): Promise<void> {
  // Files are dated by the system clock.
  const before_ms = performance.timeOrigin + elapsed_ms() - ABANDONED_AFTER_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(undefinedIfAbsent);
    // A hard link shares all times of its file except ctime, which is that of the link.
    if (found && found.ctimeMs < before_ms) await rm(path, { force: true });
  }
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
