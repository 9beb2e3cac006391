import type { DerivedFile } from '../store/derived-files.ts';

/** A file to store as an object. */
export interface FileToStore {
  readonly name: string;
  readonly version: string;
  /** The path of a file that is complete and on disk, and is never changed, only replaced. */
  readonly path: string;
}

/**
 * Files that are built from the database once, stored as objects, and fetched by each node that reads them. What a job
 * has stored is valid once it is recorded in the unit of work that ends it; until then it is invisible.
 */
export interface DerivedObjects {
  /** Stores files of an owner, which stay where they are. @throws StoreUnavailable */
  store(owner: string, files: readonly FileToStore[], signal: AbortSignal): Promise<DerivedFile[]>;
  /**
   * The path of a file on this machine, fetched unless it is here; undefined when its object is missing or damaged. The
   * file may be removed at any time once its owner has others: then look again.
   * @throws StoreUnavailable
   */
  fetch(owner: string, file: DerivedFile): Promise<string | undefined>;
  /** The path of the newest copy that is here of a file with this name, whatever its version. */
  findCopy(owner: string, name: string): Promise<string | undefined>;
  /** The owners of copies on this machine. */
  listOwners(): Promise<string[]>;
  /**
   * Fetches the present files of an owner, or only those of which former copies are here, and then removes the copies of
   * others. Copies that are made after `find` was called stay, unless there are no files.
   */
  refresh(owner: string, find: () => Promise<readonly DerivedFile[]>, which: 'all' | 'those here'): Promise<void>;
  /** Whether an object has the bytes that were stored, as far as they are known; reads all of it. @throws StoreUnavailable */
  isIntact(file: DerivedFile): Promise<boolean>;
}
