import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { syncFolder } from '../storage/core/files.ts';
import type { BackupHeader, BackupSink } from './format.ts';

/** Checksums are written whenever this many have accumulated, so that memory does not grow with the number of files. */
const SUMS = 10_000;

/**
 * Writes a tar archive, compressed according to the extension of its name (.zst, .gz or none): `backup.json` with the
 * header, rows as lines of JSON in `rows/`, files as in the data folder, SHA-256 checksums of all of them in the format
 * of sha256sum in `sums/`, and last `manifest.json` with the totals. An archive gets its name once it is complete and
 * on disk.
 * @source decision 450
 */
export async function writeArchive<T>(path: string, fill: (sink: BackupSink) => Promise<T>): Promise<T> {
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const tar = pack();
  const file = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  const written = pipeline(tar, compressorFor(path), file);
  const room = waitingRoom();
  written.catch(room.close);
  try {
    const result = await fill(sinkInto(tar, room.until));
    tar.finalize();
    await written;
    await rename(partial, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    tar.destroy();
    await written.catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

type Until = (begin: (done: (error?: Error | null) => void) => void) => Promise<void>;

/** Serializes waits for stream events; once the archive fails, the current and all later waits reject. */
function waitingRoom(): { readonly until: Until; close(failure: Error): void } {
  let failure: Error | undefined;
  let fail = (_: Error): void => {};
  return {
    until: (begin) =>
      new Promise<void>((resolve, reject) => {
        fail = reject;
        if (failure) reject(failure);
        else begin((error) => (error ? reject(error) : resolve()));
      }),
    close(error) {
      failure = error;
      fail(error);
    },
  };
}

function compressorFor(path: string): Transform {
  if (path.endsWith('.zst')) return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  if (/\.t?gz$/.test(path)) return createGzip();
  return new PassThrough();
}

function sinkInto(tar: Pack, until: Until): BackupSink {
  let mtime = new Date(0);
  let lines: string[] = [];
  let sumsCount = 0;
  const counts = new Map<string, number>();

  async function put(name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const sum = createHash('sha256');
    let ended: (error?: Error | null) => void = () => {};
    const entry = tar.entry({ name, size, mode: 0o600, mtime }, (error) => ended(error));
    for await (const bytes of content) {
      sum.update(bytes);
      if (!entry.write(bytes)) await until((done) => entry.once('drain', () => done()));
    }
    await until((done) => {
      ended = done;
      entry.end(null);
    });
    lines.push(`${sum.digest('hex')}  ${name}\n`);
  }
  const putText = (name: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    return put(name, bytes.length, [bytes]);
  };
  async function putSums(): Promise<void> {
    sumsCount += 1;
    const text = lines.join('');
    await putText(`sums/${String(sumsCount).padStart(6, '0')}.sha256`, text);
    // The next checksum file begins with the checksum of this one, so that none can be removed unnoticed.
    lines = lines.slice(-1);
  }
  async function putMember(name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    await put(name, size, content);
    if (lines.length >= SUMS) await putSums();
  }

  return {
    header(head: BackupHeader) {
      mtime = new Date(head.made_at);
      return putText('backup.json', `${JSON.stringify(head, null, 2)}\n`);
    },
    async rows(table, bytes) {
      const number = (counts.get(table.name) ?? 0) + 1;
      counts.set(table.name, number);
      await putMember(`rows/${table.name}/${String(number).padStart(6, '0')}.ndjson`, bytes.length, [bytes]);
    },
    file: ({ path, bytes, content }) => putMember(path, bytes, content),
    async end(contents) {
      await putSums();
      await putText('manifest.json', `${JSON.stringify({ ...contents, sums: sumsCount }, null, 2)}\n`);
    },
  };
}
