/** Received bytes that belong to no upload yet. */
export interface ReceivedFile {
  /** Path of the file. */
  readonly place: string;
  readonly bytes: number;
}

/** A segment of an upload, as numbered by the client. */
export interface Segment {
  readonly index: number;
  readonly bytes: number;
}

/** The result of placing a segment; `closed` once the upload is sealed or removed. */
export interface Placed {
  readonly state: 'placed' | 'exceeds' | 'closed';
  /** Total bytes of all segments, including this one. */
  readonly received: number;
}

/** A source yielded too many bytes: nothing was stored. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** A source failed, with the reason in `cause`: nothing was stored. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
}

/**
 * Storage for the bytes of media, outside the database. Files of an upload are named by its id: segments while it is
 * being sent, then one whole file once it is assembled. Writes to an upload are durable once their call resolves.
 */
export interface Blobs {
  /** Removes files that an earlier process left incomplete. Call before anything is received. */
  sweep(): Promise<void>;
  /**
   * Receives bytes as they arrive, without buffering them in memory; takes ownership of the chunks.
   * @throws TooManyBytes SourceFailed
   */
  receive(source: AsyncIterable<Uint8Array>, bytes_max: number): Promise<ReceivedFile>;
  /** Removes received bytes, unless they have become part of an upload. */
  discard(incoming: ReceivedFile): Promise<void>;
  /** Creates the folder for an upload's segments. */
  prepare(id: string): Promise<void>;
  /** Stores a segment, replacing an earlier one with the same index, unless the total would exceed `total_max`. */
  place(id: string, index: number, incoming: ReceivedFile, total_max: number): Promise<Placed>;
  /** The stored segments, in order; once assembled, the whole file as one. */
  segments(id: string): Promise<Segment[]>;
  /** Makes the segments immutable. Idempotent. */
  seal(id: string): Promise<void>;
  /** Accepts segments again. */
  unseal(id: string): Promise<void>;
  /** Assembles the sealed segments into the whole file. Idempotent, also after an interruption. */
  assemble(id: string): Promise<void>;
  /** Makes received bytes the whole file. */
  adopt(id: string, incoming: ReceivedFile): Promise<void>;
  /** Stores a small file beside the whole one. */
  write(id: string, name: BlobName, bytes: Uint8Array): Promise<void>;
  /** The path of an upload's file, for programs that read it by path; it need not exist. */
  pathOf(id: string, name: BlobName): string;
  /** Removes all files of an upload. */
  remove(id: string): Promise<void>;
}

/** The files of an upload: the media itself, and its first frame. */
export type BlobName = 'whole' | 'poster';
