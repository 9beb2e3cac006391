/** Received bytes, in a file of this machine until they are stored as an object. */
export interface ReceivedFile {
  /** Path of the file. */
  readonly place: string;
  readonly bytes: number;
  /** SHA-256 in hex digits; undefined where objects are files of this machine. @source decision 789 */
  readonly sha256: string | undefined;
}

/** A source yielded too many bytes: nothing was stored. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** A source failed, with the reason in `cause`: nothing was stored. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
}

/** Files that are being received, on this machine. */
export interface ReceivedFiles {
  /** Removes files that an earlier process left behind. Call before anything is received. */
  sweep(): Promise<void>;
  /**
   * Receives bytes as they arrive, without buffering them in memory; takes ownership of the chunks.
   * @throws TooManyBytes SourceFailed
   */
  receive(source: AsyncIterable<Uint8Array>, bytes_max: number): Promise<ReceivedFile>;
  /** A file that `work` writes at a path; removed if it answers that it failed, or rejects. */
  write(work: (place: string) => Promise<boolean>): Promise<ReceivedFile | undefined>;
  /** Removes a file, unless it has become an object. */
  discard(file: ReceivedFile): Promise<void>;
}
