import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { releaseMemory } from '../../base/release-memory.ts';
import { TooManyBytes } from '../../contract/services/blobs.ts';

/** Bytes that may wait in memory for the disk. */
const WAITING_BYTES = 1_048_576;
type Done = (error?: Error | null) => void;

/**
 * Writes what is piped into it into a new file: whatever has arrived while the disk was busy goes in one write. The
 * pieces are given away. Once it has finished, the bytes are on the disk.
 */
export class FileSink extends Writable {
  /** How many bytes have been written. */
  bytes = 0;
  /** What went wrong here, and not with the source. */
  failure: Error | undefined;
  readonly #path: string;
  readonly #bytes_max: number;
  #file: FileHandle | undefined;

  constructor(path: string, bytes_max: number) {
    super({ highWaterMark: WAITING_BYTES });
    this.#path = path;
    this.#bytes_max = bytes_max;
  }

  override _construct(done: Done): void {
    this.#end(this.#open(), done);
  }

  override _writev(waiting: { chunk: Uint8Array }[], done: Done): void {
    this.#end(this.#write(waiting.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.#end(this.#file!.datasync(), done);
  }

  override _destroy(error: Error | null, done: Done): void {
    const closed = this.#file?.close() ?? Promise.resolve();
    closed.then(() => done(error), done);
  }

  async #open(): Promise<void> {
    this.#file = await open(this.#path, 'wx', 0o600);
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    let bytes = 0;
    for (const { length } of pieces) bytes += length;
    this.bytes += bytes;
    if (this.bytes > this.#bytes_max) throw new TooManyBytes(`more than ${this.#bytes_max} bytes`);
    await writeAll(this.#file!, pieces);
    for (const piece of pieces) releaseMemory(piece);
  }

  #end(work: Promise<void>, done: Done): void {
    work.then(
      () => done(),
      (error) => {
        this.failure = error;
        done(error);
      },
    );
  }
}

/** Writes pieces of memory at the end of a file. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const wanted = pieces.reduce((total, { length }) => total + length, 0);
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === wanted) return;
  // A disk that fills up takes a part; asking for the rest tells why.
  let rest = Buffer.concat(pieces).subarray(bytesWritten);
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
}

/** Writes bytes at the end of a file, all of them; a disk that fills up takes a part, and tells why when it gets the rest. */
export function writeAllSync(
  file: number,
  bytes: Uint8Array,
  write: (file: number, bytes: Uint8Array) => number = writeSync,
): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(file, rest));
}
