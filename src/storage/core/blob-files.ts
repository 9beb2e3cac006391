import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { KeyedMutex } from '../../base/keyed-mutex.ts';
import type { Random } from '../../base/random.ts';
import {
  type BlobName,
  type Blobs,
  type ReceivedFile,
  type Segment,
  SourceFailed,
} from '../../contract/services/blobs.ts';
import { contentOfBytes, contentOfFile, type ObjectStore } from '../../contract/services/objects.ts';
import { FileSink, writeAll } from './file-sink.ts';
import { isAbsent, syncFolder } from './files.ts';
import { SegmentSizes, totalExcept } from './segment-sizes.ts';

/** Size of the copy buffer. */
const PIECE_BYTES = 524_288;

/**
 * Blobs as files in a folder. An incoming file is written elsewhere, synced and then renamed, so a segment exists
 * completely or not at all, even after a power failure. Sealing renames the folder of the segments, so a late segment
 * finds no folder. Operations that move the segments of one upload take turns: several requests may finalize it at
 * once, and none may see half of the segments.
 */
export function blobFiles(folder: string, random: Random, objects: ObjectStore): Blobs {
  const [incoming, parts, sealed] = ['incoming', 'parts', 'sealed'].map((name) => join(folder, name));
  for (const each of [incoming, parts, sealed]) mkdirSync(each!, { recursive: true, mode: 0o700 });
  const fresh = (): string => join(incoming!, random.bytes(12).toString('hex'));
  const keyOf = (id: string, name: BlobName): string => `media/ready/${id}/${name}`;
  const pathOf: Blobs['pathOf'] = (id, name) => objects.localPath(keyOf(id, name))!;

  async function settle(id: string, name: BlobName, from: string): Promise<void> {
    await objects.put(keyOf(id, name), contentOfFile(from, (await stat(from)).size));
  }

  async function received(source: AsyncIterable<Uint8Array>, bytes_max: number): Promise<ReceivedFile> {
    const place = fresh();
    try {
      return { place, bytes: await writeFile(place, source, bytes_max) };
    } catch (error) {
      await rm(place, { force: true });
      throw error;
    }
  }

  async function joined(paths: readonly string[]): Promise<string> {
    const place = fresh();
    try {
      await joinFiles(place, paths);
      return place;
    } catch (error) {
      await rm(place, { force: true });
      throw error;
    }
  }

  const turns = new KeyedMutex();
  const sizes = new SegmentSizes(async (id) => (await segmentsIn(join(parts!, id))) ?? []);

  return {
    pathOf,
    async sweep() {
      for (const name of await readdir(incoming!)) await rm(join(incoming!, name), { force: true });
    },
    receive: received,
    discard: ({ place }) => rm(place, { force: true }),
    async prepare(id) {
      await mkdir(join(parts!, id), { recursive: true, mode: 0o700 });
      await syncFolder(parts!);
    },
    async place(id, index, { place, bytes }, total_max) {
      const own = join(parts!, id);
      const path = join(own, String(index));
      const earlier = await sizes.get(id);
      const received = totalExcept(earlier, index) + bytes;
      if (received > total_max) return { state: 'exceeds', received };
      try {
        await rename(place, path);
        await syncFolder(own);
      } catch (error) {
        if (isAbsent(error)) return { state: 'closed', received };
        // The rename may have succeeded even so.
        sizes.invalidate(id);
        throw error;
      }
      (await sizes.get(id)).set(index, bytes);
      return { state: 'placed', received };
    },
    segments: (id) =>
      turns.run(id, async () => {
        // An assembled upload has lost its segments, or is about to.
        const whole = await stat(pathOf(id, 'whole')).catch(unlessAbsent);
        if (whole) return [{ index: 0, bytes: whole.size }];
        return (await segmentsIn(join(parts!, id))) ?? (await segmentsIn(join(sealed!, id))) ?? [];
      }),
    seal: (id) =>
      turns.run(id, async () => {
        sizes.invalidate(id);
        await rename(join(parts!, id), join(sealed!, id)).catch(unlessAbsent);
        await syncFolder(sealed!);
      }),
    unseal: (id) =>
      turns.run(id, async () => {
        sizes.invalidate(id);
        await rename(join(sealed!, id), join(parts!, id)).catch(unlessAbsent);
      }),
    assemble: (id) =>
      turns.run(id, async () => {
        const own = join(sealed!, id);
        // An assembly that was interrupted after this point may have left only some of the segments.
        const isWhole = (await stat(pathOf(id, 'whole')).catch(unlessAbsent)) !== undefined;
        const segments = isWhole ? undefined : await segmentsIn(own);
        if (!segments) return rm(own, { recursive: true, force: true });
        const paths = segments.map(({ index }) => join(own, String(index)));
        // A single segment is the whole file.
        const whole = paths.length === 1 ? paths[0]! : await joined(paths);
        await settle(id, 'whole', whole);
        await rm(own, { recursive: true, force: true });
      }),
    adopt: (id, { place }) => settle(id, 'whole', place),
    write: (id, name, bytes) => objects.put(keyOf(id, name), contentOfBytes(bytes)),
    remove: (id) =>
      turns.run(id, async () => {
        sizes.invalidate(id);
        for (const each of [parts, sealed]) await rm(join(each!, id), { recursive: true, force: true });
        await objects.remove([keyOf(id, 'whole'), keyOf(id, 'poster')]);
      }),
  };
}

async function segmentsIn(folder: string): Promise<Segment[] | undefined> {
  try {
    const names = await readdir(folder);
    const found = names.map(async (name) => ({ index: Number(name), bytes: (await stat(join(folder, name))).size }));
    return (await Promise.all(found)).sort((a, b) => a.index - b.index);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Writes a new file and syncs it; returns its size in bytes. */
async function writeFile(path: string, source: AsyncIterable<Uint8Array>, bytes_max: number): Promise<number> {
  const sink = new FileSink(path, bytes_max);
  try {
    await pipeline(source, sink);
    return sink.bytes;
  } catch (error) {
    throw sink.failure ?? new SourceFailed(String(error), { cause: error });
  }
}

/** Concatenates files through one buffer. */
async function joinFiles(place: string, paths: readonly string[]): Promise<void> {
  const into = await open(place, 'wx', 0o600);
  try {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (const path of paths) await copyAll(path, into, piece);
    await into.datasync();
  } finally {
    await into.close();
  }
}

async function copyAll(path: string, into: FileHandle, piece: Buffer): Promise<void> {
  const from = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await from.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return;
      await writeAll(into, [piece.subarray(0, bytesRead)]);
    }
  } finally {
    await from.close();
  }
}

function unlessAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}
