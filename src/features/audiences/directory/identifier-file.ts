import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of an entry: an identifier (16) and the number of its person (4, little-endian). */
export const ENTRY_BYTES = 20;
/** Bytes of the identifier at the start of an entry. */
export const IDENTIFIER_BYTES = 16;

const HEADER_BYTES = 32;
const MAGIC = 'PEOPLE01';
/** Number of entries per read. */
const BLOCK_ENTRIES = 32_768;

/** The header of the files of an image. All members are integers below 2^32. */
interface ImageHeader {
  /** The version of the directory that the image contains. */
  readonly version: number;
  /** Number of people; person numbers are below it. */
  readonly people: number;
  /** Number of entries that follow. */
  readonly entries: number;
}

/** A sequential reader of the identifiers of an image. */
export interface IdentifierReader extends ImageHeader {
  /**
   * Returns the next entries, valid until the next call; undefined at the end. Entries are sorted by the bytes of the
   * identifier, then by number; several people may have the same identifier.
   */
  next(): Uint8Array | undefined;
  close(): void;
}

/** The names of the files of an image. */
export const IMAGE_FILES = ['identifiers', 'columns', 'activity'] as const;

/** Path of the file of identifiers. */
export function identifiersPath(folder: string): string {
  return join(folder, 'identifiers');
}

/** Path of the file of attribute columns. */
export function columnsPath(folder: string): string {
  return join(folder, 'columns');
}

/** Path of the file of last-activity times. */
export function activityPath(folder: string): string {
  return join(folder, 'activity');
}

/** Opens the identifiers of an image for sequential reads. Synchronous, for worker threads. @throws if the image does not exist */
export function openIdentifiers(folder: string): IdentifierReader {
  const file = openSync(identifiersPath(folder), 'r');
  const header = readHeader(file);
  const block = new Uint8Array(BLOCK_ENTRIES * ENTRY_BYTES);
  let left = header.entries;
  return {
    ...header,
    next() {
      if (left === 0) return undefined;
      const bytes = Math.min(left, BLOCK_ENTRIES) * ENTRY_BYTES;
      readFully(file, block, bytes);
      left -= bytes / ENTRY_BYTES;
      return block.subarray(0, bytes);
    },
    close: () => closeSync(file),
  };
}

/** Random access to the identifiers of an image. */
export interface IdentifierLookup extends ImageHeader {
  /** Returns the bytes of an entry, from 0 to `entries - 1`; valid until the next call. */
  entry(index: number): Uint8Array;
  close(): void;
}

/** Opens the identifiers of an image for random access. Synchronous, for worker threads. */
export function openIdentifierLookup(folder: string): IdentifierLookup {
  const file = openSync(identifiersPath(folder), 'r');
  const header = readHeader(file);
  const bytes = new Uint8Array(ENTRY_BYTES);
  return {
    ...header,
    entry(index) {
      readSync(file, bytes, 0, ENTRY_BYTES, HEADER_BYTES + index * ENTRY_BYTES);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

/** Reads the last-activity time of each person, by person number: Unix seconds, 0 if unknown. */
export function readActivity(folder: string): ImageHeader & { readonly lastActiveAt: Uint32Array } {
  const file = openSync(activityPath(folder), 'r');
  try {
    const header = readHeader(file);
    const lastActiveAt = new Uint32Array(header.entries);
    readFully(file, new Uint8Array(lastActiveAt.buffer), lastActiveAt.byteLength);
    return { ...header, lastActiveAt };
  } finally {
    closeSync(file);
  }
}

/** Writes the header of a file of an image. */
export function writeHeader(file: number, { version, people, entries }: ImageHeader): void {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt32LE(version, 8);
  bytes.writeUInt32LE(people, 12);
  bytes.writeUInt32LE(entries, 16);
  writeSync(file, bytes);
}

function readHeader(file: number): ImageHeader {
  const bytes = Buffer.alloc(HEADER_BYTES);
  readFully(file, bytes, HEADER_BYTES);
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('not a directory image');
  return { version: bytes.readUInt32LE(8), people: bytes.readUInt32LE(12), entries: bytes.readUInt32LE(16) };
}

/** Reads exactly `bytes` bytes into the start of a block. */
function readFully(file: number, block: Uint8Array, bytes: number): void {
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, block, done, bytes - done, null);
    if (read === 0) throw new Error('the directory image is truncated');
    done += read;
  }
}
