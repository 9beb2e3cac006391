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
 * A kind of derived files: a header, records of the same width in their order, and a trailer; all whole numbers of 32
 * bits in the order of bytes of the machine, because nothing but the machine that wrote a file reads it.
 */
export interface RecordKind {
  /** Tells kinds and versions apart: a file of another is as good as none. */
  readonly mark: number;
  /** Numbers of a record. */
  readonly width: number;
}

/** What a file says of itself beside its records. */
export interface RecordNotes {
  /** At most 10 numbers. */
  readonly own: readonly number[];
  readonly trailer: Uint32Array;
}

/** A file of records that is open for reading: whoever replaces it does not disturb. */
export interface RecordFile extends RecordNotes {
  readonly count: number;
  readonly descriptor: number;
  close(): void;
}

const HEADER_NUMBERS = 16;
const OWN_FROM = 5;
const HEADER_BYTES = HEADER_NUMBERS * 4;
/** Read and written at once, about. */
const BLOCK_BYTES = 1 << 20;
const TWO_32 = 2 ** 32;

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Header: mark, checksum, count (two numbers), length of the trailer, own numbers. */
function headerOf({ mark }: RecordKind, count: number, { own, trailer }: RecordNotes): Uint32Array {
  const header = new Uint32Array(HEADER_NUMBERS);
  header.set([mark, 0, count % TWO_32, Math.floor(count / TWO_32), trailer.length, ...own]);
  header[1] = crc32(bytesOf(trailer), crc32(bytesOf(header)));
  return header;
}

function readAt(descriptor: number, words: Uint32Array, position: number): boolean {
  const bytes = bytesOf(words);
  let have = 0;
  while (have < bytes.length) {
    const read = readSync(descriptor, bytes, have, bytes.length - have, position + have);
    if (read === 0) return false;
    have += read;
  }
  return true;
}

/** Opens a file of records; undefined when there is none, or none that is whole and of this kind. */
export function openRecords(path: string, kind: RecordKind): RecordFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const found = readNotes(descriptor, kind);
  if (!found) closeSync(descriptor);
  return found && { ...found, descriptor, close: () => closeSync(descriptor) };
}

function readNotes(descriptor: number, kind: RecordKind): (RecordNotes & { readonly count: number }) | undefined {
  const header = new Uint32Array(HEADER_NUMBERS);
  if (!readAt(descriptor, header, 0) || header[0] !== kind.mark) return undefined;
  const count = header[2]! + header[3]! * TWO_32;
  const trailerAt = HEADER_BYTES + count * kind.width * 4;
  if (fstatSync(descriptor).size !== trailerAt + header[4]! * 4) return undefined;
  const trailer = new Uint32Array(header[4]!);
  if (!readAt(descriptor, trailer, trailerAt)) return undefined;
  const notes = { own: [...header.subarray(OWN_FROM)], trailer };
  return headerOf(kind, count, notes)[1] === header[1] ? { ...notes, count } : undefined;
}

/** The records of a file, block by block. */
export interface RecordSource {
  /** The present block: `end` numbers of it are records. */
  readonly words: Uint32Array;
  readonly end: number;
  /** Takes the next block; false when there is none. The block before is overwritten. */
  next(): boolean;
}

/** Reads all records of a file, in their order. */
export function recordSource({ descriptor, count }: RecordFile, { width }: RecordKind): RecordSource {
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
      if (!readAt(descriptor, part, HEADER_BYTES + done * width * 4)) throw new Error('a file of records was cut off');
      done += records;
      return true;
    },
  };
  return source;
}

/** Where records are written: put at `words[at]`, then `at` moved on by a width; `flush` when `at` is `words.length`. */
export interface RecordSink {
  readonly words: Uint32Array;
  at: number;
  flush(): void;
  /** Puts the file in its place, durably: until then, what was there before is. */
  finish(notes: RecordNotes): void;
  /** Gives up: nothing is left of it. */
  drop(): void;
}

/** What was written is brought to the disk in such pieces: a commit of the database would wait for all that piled up. */
const SYNCED_BYTES = 8_388_608;

/** Writes a file of records beside its place. There is one writer of a place at a time. */
export function recordSink(path: string, kind: RecordKind): RecordSink {
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
      if (position - synced < SYNCED_BYTES) return;
      fdatasyncSync(descriptor);
      synced = position;
    },
    finish(notes: RecordNotes) {
      sink.flush();
      put(notes.trailer, position);
      put(headerOf(kind, (position - HEADER_BYTES) / (kind.width * 4), notes), 0);
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(beside, path);
      syncFolder(dirname(path));
    },
    drop() {
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
