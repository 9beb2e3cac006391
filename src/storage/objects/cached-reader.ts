import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import type { Random } from '../../base/random.ts';
import { type ByteRange, ObjectMissing, type ObjectReader, type ObjectStore } from '../../contract/services/objects.ts';
import { isAbsent } from '../core/files.ts';

/** Block size of copies in bytes, so that a range of a long video does not fetch all of it. */
const BLOCK_BYTES = 4 * 1_048_576;
/** Maximum number of cached object sizes. */
const SIZES_MAX = 10_000;

/** Options of the cache. */
interface CacheOptions {
  /** The folder of the copies, used for nothing else. */
  readonly folder: string;
  readonly bytes_max: number;
  readonly random: Random;
}

/**
 * Reads objects through an LRU cache of blocks on the local disk. Objects are immutable, so copies are never stale.
 * Concurrent requests for a block share one fetch.
 * @source decision 786
 */
export function cachedReader(store: ObjectStore, { folder, bytes_max, random }: CacheOptions): ObjectReader {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Remove copies of an earlier process.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  /** Sizes of blocks by file name. */
  const blocks = new LRUCache<string, number>({
    maxSize: bytes_max,
    sizeCalculation: (bytes) => bytes,
    dispose: (_, name) => void rm(join(folder, name), { force: true }).catch(() => {}),
  });
  const sizes = new LRUCache<string, number>({ max: SIZES_MAX });
  const fetches = new Map<string, Promise<void>>();

  const nameOf = (key: string, index: number): string =>
    `${createHash('sha256').update(key).digest('hex').slice(0, 40)}_${index}`;

  async function fetch(key: string, index: number, name: string): Promise<void> {
    const start = index * BLOCK_BYTES;
    const { bytes, content } = await store.get(key, { start, end: start + BLOCK_BYTES });
    const expected = Math.max(0, Math.min(BLOCK_BYTES, bytes - start));
    const draft = join(folder, `draft_${random.bytes(12).toString('hex')}`);
    try {
      const file = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
      await pipeline(content, file);
      if (file.bytesWritten !== expected)
        throw new Error(`${file.bytesWritten} bytes of ${expected} of ${key} arrived`);
      await rename(draft, join(folder, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    sizes.set(key, bytes);
    if (expected > 0) blocks.set(name, expected);
  }

  /** Fetches a block unless it is cached or being fetched. */
  async function ensure(key: string, index: number): Promise<string> {
    const name = nameOf(key, index);
    if (blocks.get(name) !== undefined) return name;
    const fetching =
      fetches.get(name) ??
      fetch(key, index, name).finally(() => {
        fetches.delete(name);
      });
    fetches.set(name, fetching);
    await fetching;
    return name;
  }

  async function openBlock(key: string, index: number) {
    for (;;) {
      const name = await ensure(key, index);
      try {
        return await open(join(folder, name));
      } catch (error) {
        if (!isAbsent(error)) throw error;
        // Evicted meanwhile, or removed from outside.
        blocks.delete(name);
      }
    }
  }

  async function* bytesOf(key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; ) {
      const index = Math.floor(at / BLOCK_BYTES);
      const from = at - index * BLOCK_BYTES;
      const until = Math.min(end - index * BLOCK_BYTES, BLOCK_BYTES);
      const file = await openBlock(key, index);
      yield* file.createReadStream({ start: from, end: until - 1 });
      at = index * BLOCK_BYTES + until;
    }
  }

  return {
    async open(key) {
      try {
        if (!sizes.has(key)) await ensure(key, 0);
      } catch (error) {
        if (error instanceof ObjectMissing) return undefined;
        throw error;
      }
      const bytes = sizes.get(key)!;
      return {
        key,
        bytes,
        async read(range) {
          const wanted = { start: range.start, end: Math.min(range.end, bytes) };
          // Errors of the store are reported before the reply begins.
          if (wanted.start < wanted.end) await ensure(key, Math.floor(wanted.start / BLOCK_BYTES));
          return Readable.from(bytesOf(key, wanted), { objectMode: false });
        },
      };
    },
  };
}
