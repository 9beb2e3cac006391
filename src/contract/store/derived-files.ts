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

/** The stored lists of derived files, and of objects that are to be removed. Times are UTC texts. */
export interface DerivedFiles {
  /** The files of an owner, by name. */
  list(owner: string): Promise<DerivedFile[]>;
  /** Notes objects before they are stored: they are removed at this time, unless they are recorded before. */
  announce(keys: readonly string[], remove_at: string): Promise<void>;
  /**
   * Makes these the files of their owner, and the others unused. Refused when the owner no longer has the former ones,
   * or when an announced object may be removed already; then nothing is recorded.
   */
  record(built: BuiltFiles, now: string): Promise<'recorded' | 'unchanged' | 'refused'>;
  /**
   * For callers with a list of their own, in the unit of work that changes it: from here on these announced objects are
   * used, and those are not. False when an announced object may be removed already; then nothing has changed.
   */
  exchange(added: readonly string[], replaced: readonly string[], now: string): Promise<boolean>;
  /** The owner has no more files: their objects, and those of `built`, are removed as soon as possible. Returns how many. */
  remove(owner: string, built: BuiltFiles | undefined, now: string): Promise<number>;
  /** Objects to remove by now. */
  listUnused(now: string, max: number): Promise<string[]>;
  /** When the next object is to be removed. */
  findNextRemoval(): Promise<string | undefined>;
  /** These objects have been removed. */
  forgetUnused(keys: readonly string[]): Promise<void>;
}

/** The tag of a change of the files of an owner. */
export function filesTag(owner: string): string {
  return `files:${owner}`;
}

/** A node that read a list before it changed may still begin to fetch an object of it for so long. */
export const FETCHED_WITHIN_S = 60;

/** Job kind that removes unused objects. */
export const OBJECT_REMOVAL = 'object-removal';
