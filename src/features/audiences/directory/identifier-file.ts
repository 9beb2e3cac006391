import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of an entry: an identifier (16) and the number of the person who has it (4, little-endian). */
export const ENTRY_BYTES = 20;
/** Bytes of an identifier at the beginning of an entry. */
export const IDENTIFIER_BYTES = 16;

const HEADER_BYTES = 32;
const MAGIC = 'PEOPLE01';
/** Read at a time: a whole number of entries. */
const BLOCK_ENTRIES = 32_768;

/** What stands at the beginning of both files of an image. All are whole numbers below 2^32. */
export interface ImageHeader {
  /** The version of the directory of which it is the image. */
  readonly version: number;
  /** How many people the directory has: their numbers are below. */
  readonly people: number;
  /** How many entries follow. */
  readonly entries: number;
}

/** The identifiers of an image, read from the first to the last. */
export interface IdentifierReader extends ImageHeader {
  /**
   * The next entries, or undefined after the last. The bytes are good until the next call. Entries are sorted by the
   * bytes of the identifier, then by number; several people may have the same identifier.
   */
  next(): Uint8Array | undefined;
  close(): void;
}

/** The file of an image that holds the identifiers. */
export function identifiersPath(folder: string): string {
  return join(folder, 'identifiers');
}

/** The file of an image that holds what people are, column by column. */
export function columnsPath(folder: string): string {
  return join(folder, 'columns');
}

/** The file of an image that says when each person was last active. */
export function activityPath(folder: string): string {
  return join(folder, 'activity');
}

/** Opens the identifiers of an image. Reads without waiting, for threads. @throws when there is no such image */
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
      readWhole(file, block, bytes);
      left -= bytes / ENTRY_BYTES;
      return block.subarray(0, bytes);
    },
    close: () => closeSync(file),
  };
}

/** When each person was last active, in seconds since 1970 by number; 0 for whom it is not known. */
export function readActivity(folder: string): ImageHeader & { readonly lastActiveAt: Uint32Array } {
  const file = openSync(activityPath(folder), 'r');
  try {
    const header = readHeader(file);
    const lastActiveAt = new Uint32Array(header.entries);
    readWhole(file, new Uint8Array(lastActiveAt.buffer), lastActiveAt.byteLength);
    return { ...header, lastActiveAt };
  } finally {
    closeSync(file);
  }
}

/** Writes the beginning of a file of an image. */
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
  readWhole(file, bytes, HEADER_BYTES);
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('not an image of the directory');
  return { version: bytes.readUInt32LE(8), people: bytes.readUInt32LE(12), entries: bytes.readUInt32LE(16) };
}

/** Fills the beginning of a block from where the file stands. */
function readWhole(file: number, block: Uint8Array, bytes: number): void {
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, block, done, bytes - done, null);
    if (read === 0) throw new Error('the image of the directory ends too early');
    done += read;
  }
}
