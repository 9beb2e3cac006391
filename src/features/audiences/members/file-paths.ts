/** A required file is missing or not readable. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The paths of the files of a subject; empty without members. */
export interface SubjectPaths {
  /** The folder of its runs. */
  readonly members: string;
  /** The file of its matched users. */
  readonly matched: string;
}

/** A reference to an image of the directory, for the thread. */
export interface ImageReference {
  readonly folder: string;
  readonly version: number;
  /** Checksum of the mark of its state. */
  readonly mark: number;
  readonly people: number;
}
