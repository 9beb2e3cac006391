/** A file that should exist is missing or not readable. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The paths of the files of a subject; empty without members. */
export interface SubjectPaths {
  /** The folder of the runs of its members. */
  readonly members: string;
  /** The file of the matching users. */
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
