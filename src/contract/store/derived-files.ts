/** A file that was built from the database, and is stored as an object. */
export interface DerivedFile {
  /** Unique to its owner. */
  readonly name: string;
  readonly object_key: string;
  /** What it was built from, as its builder notes it. */
  readonly version: string;
  readonly bytes: number;
  /** In hex digits; empty when the object is a file of this machine. */
  readonly sha256: string;
}

/** The files of an owner that a job has built, to be recorded in the unit of work that ends it. */
export interface BuiltFiles {
  /** A subject of audiences, or the name of what has only one set of files. */
  readonly owner: string;
  /** The files of the owner when the job began. */
  readonly former: readonly DerivedFile[];
  /** All files of the owner now; those that have not changed are in both lists. */
  readonly files: readonly DerivedFile[];
}

/** The tag of a change of the files of an owner. */
export function filesTag(owner: string): string {
  return `files:${owner}`;
}

/** A node that read a list before it changed may still begin to fetch an object of it for so long. */
export const FETCHED_WITHIN_S = 60;

/** Job kind that removes unused objects. */
export const OBJECT_REMOVAL = 'object-removal';
