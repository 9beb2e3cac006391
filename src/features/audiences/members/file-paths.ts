/** The paths of the files of a subject. */
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
