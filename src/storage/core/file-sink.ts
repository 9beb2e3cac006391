import { createHash, type Hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { releaseMemory } from '../../base/release-memory.ts';
import { TooManyBytes } from '../../contract/services/received-files.ts';

/** Maximum number of buffered bytes. */
const WAITING_BYTES = 1_048_576;
type Done = (error?: Error | null) => void;

/**
 * Writes a stream to a new file: all chunks that arrived while the disk was busy go into one write. Takes ownership of
 * the chunks and releases their memory. The file is not synced.
 */
export class FileSink extends Writable {
  /** Bytes received so far. */
  bytes = 0;
  /** An error of the file, as opposed to one of the source. */
  failure: Error | undefined;
  readonly #path: string;
  readonly #bytes_max: number;
  readonly #digest: Hash | undefined;
  #file: FileHandle | undefined;

  constructor(path: string, { bytes_max, isHashed }: { readonly bytes_max: number; readonly isHashed: boolean }) {
    super({ highWaterMark: WAITING_BYTES });
    this.#path = path;
    this.#bytes_max = bytes_max;
    this.#digest = isHashed ? createHash('sha256') : undefined;
  }

  /** The SHA-256 of all bytes in hex digits, if requested; call it once, after the stream has finished. */
  sha256(): string | undefined {
    return this.#digest?.digest('hex');
  }

  override _construct(done: Done): void {
    this.#end(this.#open(), done);
  }

  override _writev(waiting: { chunk: Uint8Array }[], done: Done): void {
    this.#end(this.#write(waiting.map(({ chunk }) => chunk)), done);
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
    for (const piece of pieces) this.#digest?.update(piece);
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

/** Appends chunks to a file. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const size = pieces.reduce((total, { length }) => total + length, 0);
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === size) return;
  // A full disk accepts a part; writing the rest then throws the reason.
  let rest = Buffer.concat(pieces).subarray(bytesWritten);
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
}

/** Appends all bytes to a file. A full disk accepts a part; writing the rest then throws the reason. */
export function writeAllSync(
  file: number,
  bytes: Uint8Array,
  write: (file: number, bytes: Uint8Array) => number = writeSync,
): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(file, rest));
}
