/** A file that should exist is missing or not readable. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The paths of the files of a subject; empty for those that it has not, because it has no members. */
export interface SubjectPaths {
  readonly members: string;
  readonly matched: string;
}

/** A reference to an image of the directory, for the thread. */
export interface ImageReference {
  readonly folder: string;
  readonly version: number;
  /** A checksum of the mark of its state. */
  readonly mark: number;
  readonly people: number;
}
