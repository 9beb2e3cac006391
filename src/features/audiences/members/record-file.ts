import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A kind of record file: a header, sorted records of fixed width, and a trailer, all as 32-bit integers in native byte order,
 * because only the machine that wrote them reads them.
 */
export interface RecordKind {
  /** Magic number of the kind and version; files with another one are ignored. */
  readonly mark: number;
  /** Number of integers in a record. */
  readonly width: number;
}

/** The metadata of a file. */
interface RecordMetadata {
  /** At most 10 numbers. */
  readonly numbers: readonly number[];
  readonly trailer: Uint32Array;
}

/** An open record file; replacing it does not affect the reader. */
export interface RecordFile extends RecordMetadata {
  readonly count: number;
  readonly descriptor: number;
  close(): void;
}

const HEADER_NUMBERS = 16;
const METADATA_FROM = 5;
const HEADER_BYTES = HEADER_NUMBERS * 4;
/** Approximate size of a read or write. */
const BLOCK_BYTES = 1 << 20;
const TWO_32 = 2 ** 32;

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Header: mark, checksum, count (two numbers), trailer length, metadata numbers. */
function headerOf({ mark }: RecordKind, count: number, { numbers, trailer }: RecordMetadata): Uint32Array {
  const header = new Uint32Array(HEADER_NUMBERS);
  header.set([mark, 0, count % TWO_32, Math.floor(count / TWO_32), trailer.length, ...numbers]);
  header[1] = crc32(bytesOf(trailer), crc32(bytesOf(header)));
  return header;
}

/** Reads integers from `from` on, relative to the first record; false if the file is too short. */
export function readAt({ descriptor }: Pick<RecordFile, 'descriptor'>, from: number, words: Uint32Array): boolean {
  return readFully(descriptor, words, HEADER_BYTES + from * 4);
}

function readFully(descriptor: number, words: Uint32Array, position: number): boolean {
  const bytes = bytesOf(words);
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
    if (read === 0) return false;
    filled += read;
  }
  return true;
}

/** Opens a record file; undefined if it is missing, incomplete or of another kind. */
export function openRecords(path: string, kind: RecordKind): RecordFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const found = readMetadata(descriptor, kind);
  if (!found) closeSync(descriptor);
  return found && { ...found, descriptor, close: () => closeSync(descriptor) };
}

function readMetadata(descriptor: number, kind: RecordKind): (RecordMetadata & { readonly count: number }) | undefined {
  const header = new Uint32Array(HEADER_NUMBERS);
  if (!readFully(descriptor, header, 0) || header[0] !== kind.mark) return undefined;
  const count = header[2]! + header[3]! * TWO_32;
  const trailerAt = HEADER_BYTES + count * kind.width * 4;
  if (fstatSync(descriptor).size !== trailerAt + header[4]! * 4) return undefined;
  const trailer = new Uint32Array(header[4]!);
  if (!readFully(descriptor, trailer, trailerAt)) return undefined;
  const notes = { numbers: [...header.subarray(METADATA_FROM)], trailer };
  return headerOf(kind, count, notes)[1] === header[1] ? { ...notes, count } : undefined;
}

/** Reads records in blocks. */
export interface RecordReader {
  /** The current block; its first `end` numbers are records. */
  readonly words: Uint32Array;
  readonly end: number;
  /** Reads the next block over the current one; false at the end. */
  next(): boolean;
}

/** Reads all records of a file in order. */
export function readRecords({ descriptor, count }: RecordFile, { width }: RecordKind): RecordReader {
  const blockRecords = Math.max(1, Math.min(count, Math.floor(BLOCK_BYTES / (width * 4))));
  const words = new Uint32Array(blockRecords * width);
  let done = 0;
  const source = {
    words,
    end: 0,
    next() {
      const records = Math.min(count - done, blockRecords);
      source.end = records * width;
      if (records === 0) return false;
      const part = words.subarray(0, source.end);
      if (!readAt({ descriptor }, done * width, part)) throw new Error('a record file is truncated');
      done += records;
      return true;
    },
  };
  return source;
}

/** Writes records: put one at `words[at]`, advance `at` by the width, and `flush` if `at` is `words.length`. */
export interface RecordWriter {
  readonly words: Uint32Array;
  at: number;
  flush(): void;
  /** Replaces the file durably and atomically. */
  finish(notes: RecordMetadata): void;
  /** Deletes the unfinished file. */
  discard(): void;
}

/** Data is synced in steps of this size, because commits of the database would wait for a larger backlog. */
const SYNC_EVERY_BYTES = 8_388_608;

/** Creates a writer of a temporary file next to the final path. One writer per path at a time. */
export function openRecordWriter(path: string, kind: RecordKind): RecordWriter {
  const beside = `${path}.new`;
  const descriptor = openSync(beside, 'w', 0o600);
  const words = new Uint32Array(Math.floor(BLOCK_BYTES / (kind.width * 4)) * kind.width);
  let position = HEADER_BYTES;
  let synced = 0;
  const put = (some: Uint32Array, where: number): void => {
    const bytes = bytesOf(some);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(descriptor, bytes, done, bytes.length - done, where + done);
    }
  };
  const sink = {
    words,
    at: 0,
    flush() {
      put(words.subarray(0, sink.at), position);
      position += sink.at * 4;
      sink.at = 0;
      if (position - synced < SYNC_EVERY_BYTES) return;
      fdatasyncSync(descriptor);
      synced = position;
    },
    finish(notes: RecordMetadata) {
      sink.flush();
      put(notes.trailer, position);
      put(headerOf(kind, (position - HEADER_BYTES) / (kind.width * 4), notes), 0);
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(beside, path);
      syncFolder(dirname(path));
    },
    discard() {
      closeSync(descriptor);
      rmSync(beside, { force: true });
    },
  };
  return sink;
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
