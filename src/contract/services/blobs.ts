/** Bytes that have been taken in and belong to nothing yet. */
export interface ReceivedFile {
  /** Where they lie. */
  readonly place: string;
  readonly bytes: number;
}

/** A part of an upload, as its sender numbered it. */
export interface Segment {
  readonly index: number;
  readonly bytes: number;
}

/** What came of a segment; it is `closed` once the upload is sealed or gone. */
export interface Placed {
  readonly state: 'placed' | 'exceeds' | 'closed';
  /** How many bytes all segments have with this one. */
  readonly received: number;
}

/** What a source of bytes had too much of: nothing of it is kept. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** The source of bytes broke off, for the reason in `cause`: nothing of it is kept. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
}

/**
 * Where the bytes of media are, outside the database. What belongs to an upload is durable once the call that put it
 * there has resolved. Files of an upload are named by its id; it has segments while it is sent, and one whole file when
 * it is assembled.
 */
export interface Blobs {
  /** Throws away what was cut off by the end of a process, before anything is taken in. */
  sweep(): Promise<void>;
  /**
   * Takes bytes in while they arrive, without keeping them in memory: what the source yields is given away.
   * @throws TooManyBytes SourceFailed
   */
  receive(source: AsyncIterable<Uint8Array>, bytes_max: number): Promise<ReceivedFile>;
  /** Throws away what was taken in, unless it has become part of something. */
  discard(incoming: ReceivedFile): Promise<void>;
  /** Makes room for the segments of an upload. */
  prepare(id: string): Promise<void>;
  /** Puts a segment at its place, where it replaces an earlier one, unless all would have more bytes than they may. */
  place(id: string, index: number, incoming: ReceivedFile, total_max: number): Promise<Placed>;
  /** The segments that are there, in order; once they are assembled, the whole as one. */
  segments(id: string): Promise<Segment[]>;
  /** From now on no segment changes. Sealing twice is sealing once. */
  seal(id: string): Promise<void>;
  /** Lets segments come again. */
  unseal(id: string): Promise<void>;
  /** Makes the whole file of the sealed segments; may be repeated, also after it was interrupted. */
  assemble(id: string): Promise<void>;
  /** Makes the whole file of what was taken in. */
  adopt(id: string, incoming: ReceivedFile): Promise<void>;
  /** Keeps a small file beside the whole one. */
  write(id: string, name: BlobName, bytes: Uint8Array): Promise<void>;
  /** Where a file of an upload lies, for what reads files by their path; it need not exist. */
  pathOf(id: string, name: BlobName): string;
  /** Removes everything of an upload. */
  remove(id: string): Promise<void>;
}

/** The files of an upload: what was sent, and its first frame. */
export type BlobName = 'whole' | 'poster';
