/** Where the files of a subject are. */
export interface SubjectFiles {
  readonly members: string;
  readonly matched: string;
}

/** The image of the directory as the thread knows it. */
export interface ImageFiles {
  readonly folder: string;
  readonly version: number;
  /** A checksum of the mark of the state that it shows. */
  readonly mark: number;
  readonly people: number;
}
