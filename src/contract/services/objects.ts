import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

/** The bytes of an object that is to be stored. */
export interface ObjectContent {
  readonly bytes: number;
  /** SHA-256 in hex digits. Other bytes are not stored; undefined when unknown. */
  readonly sha256?: string | undefined;
  /** Opens the bytes from their start, for each attempt to store them. */
  open(): AsyncIterable<Uint8Array>;
  /** The path of a file with these bytes, not synced, that a store may take over by renaming it. */
  readonly file?: string;
}

/** Bytes of an object, exclusive of `end`, as in `slice`; an end beyond the last byte is that of the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object that is being read. */
export interface ReadObject {
  /** Size of the whole object. */
  readonly bytes: number;
  /** The bytes of the range. A reader that stops early must destroy the stream. */
  readonly content: Readable;
}

/** An object of a list. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, by the clock of the store, in milliseconds since 1970. */
  readonly storedAt_ms: number;
}

/** No object is stored under the key. */
export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';
}

/** The bytes to store are not those that were announced; nothing was stored. */
export class ContentMismatch extends Error {
  override readonly name = 'ContentMismatch';
}

/**
 * Objects: named bytes that are stored and removed as a whole, and never changed. Keys are paths such as
 * `media/ready/123/whole`: two or more components of letters, digits, `_`, `-` and `.`, none beginning with a dot. Objects that
 * several processes use are never replaced by other bytes under the same key: copies of them would be stale.
 *
 * Objects are named by rows: an object that was never acknowledged may be there or not, after a power failure in part.
 *
 * Every method rejects with StoreUnavailable when the store cannot be reached, is too slow or full: nothing is known
 * then about the effect of a call that stores or removes, which can be repeated.
 */
export interface ObjectStore {
  /** Stores an object, durably once the call resolves; readers see all of it or nothing. @throws ContentMismatch */
  put(key: string, content: ObjectContent, signal?: AbortSignal): Promise<void>;
  /**
   * Stores an object, and resolves as soon as readers see it; it is durable once `synced` resolves, which may reject.
   * For callers that store a row meanwhile, and acknowledge neither before both are durable.
   * @throws ContentMismatch
   */
  place(key: string, content: ObjectContent, signal?: AbortSignal): Promise<{ readonly synced: Promise<void> }>;
  /** Opens an object, or a part of it. The content may still fail while it is read. @throws ObjectMissing */
  get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<ReadObject>;
  /** The size of an object; undefined when it does not exist. */
  head(key: string): Promise<Pick<ReadObject, 'bytes'> | undefined>;
  /** Removes objects; those that do not exist are removed already. */
  remove(keys: readonly string[]): Promise<void>;
  /** The objects whose keys begin with a prefix that ends in a slash, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes what interrupted calls left behind that began before this time: bytes that are no object. */
  removeIncomplete(before_ms: number): Promise<void>;
  /** The path at which this machine has the object as a file, if it exists; undefined when objects are elsewhere. */
  localPath(key: string): string | undefined;
}

/** An object that can be read in parts. */
export interface OpenObject {
  readonly key: string;
  readonly bytes: number;
  /** The bytes of a range; a reader that stops early must destroy the stream. */
  read(range: ByteRange): Promise<Readable>;
}

/** Reads objects for serving them, possibly from copies on this machine. */
export interface ObjectReader {
  /** Undefined when the object does not exist. @throws ObjectsUnavailable */
  open(key: string): Promise<OpenObject | undefined>;
}

/** Bytes in memory as the content of an object. */
export function contentOfBytes(bytes: Uint8Array): ObjectContent {
  return {
    bytes: bytes.length,
    sha256: hash('sha256', bytes, 'hex'),
    async *open() {
      if (bytes.length > 0) yield bytes;
    },
  };
}

/** A file as the content of an object; a store on this machine takes it over. It need not be synced. */
export function contentOfFile(file: string, bytes: number, sha256?: string): ObjectContent {
  return { bytes, sha256, file, open: () => createReadStream(file) };
}

/** Whether a text is a key. */
export function isObjectKey(key: string): boolean {
  return key.length <= 512 && /^[\w-][\w.-]*(\/[\w-][\w.-]*)+$/.test(key);
}
