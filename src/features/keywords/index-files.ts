import { elapsed_ms } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { DerivedObjects, FileToStore } from '../../contract/services/derived-files.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import { filesOf, type Manifest } from './manifest.ts';

/** The owner of the files of the index, and what follows the colon in the tag of its changes. */
export const INDEX_FILES = 'index';

/** A file of the index is missing or damaged, or was replaced after the manifest was read. */
export class IndexFileMissing extends Error {
  override readonly name = 'IndexFileMissing';
}

/** The files of the index on this machine. */
export interface IndexFiles {
  /** The paths of files, which are fetched unless they are here. @throws IndexFileMissing, StoreUnavailable */
  pathsOf(entries: readonly { readonly file: DerivedFile }[]): Promise<string[]>;
  /**
   * A step of building begins: what an earlier one has stored is recorded by now, or never will be. If it could not store
   * anything, this rejects as long as the object store is away: building costs much. @throws StoreUnavailable
   */
  beginStep(): Promise<void>;
  /** Stores new files as objects. @throws StoreUnavailable */
  store(files: readonly Pick<FileToStore, 'name' | 'path'>[], signal: AbortSignal): Promise<DerivedFile[]>;
  isIntact(file: DerivedFile): Promise<boolean>;
  /**
   * Removes the copies of files that are in the recorded manifest no more; those that are, are fetched first if they are
   * `wanted`. @throws StoreUnavailable
   */
  refresh(read: () => Promise<Manifest>, wanted: boolean): Promise<void>;
  /** The paths of the files of a manifest that were found. */
  listKnown(manifest: Manifest): string[];
  /** Forgets which files were found. */
  forget(): void;
}

/** A file that does not exist: looking for it shows whether the object store is there. */
const NOTHING: DerivedFile = { name: '', object_key: 'keywords/probe/none', version: '', bytes: 0, sha256: '' };
/** A job whose lease was lost by then records nothing any more. */
const RECORDED_WITHIN_MS = 60_000;
/** Files that are looked for at the same time. */
const AT_ONCE = 8;

/** The files of the index as derived objects. */
export function indexFiles(derived: DerivedObjects): IndexFiles {
  /** The paths that were found, by object. */
  let found = new Map<string, string>();

  /** What the present step has stored, and its job may record at any time. */
  let pending: DerivedFile[] = [];
  let storedAt_ms = 0;
  let wasAway = false;

  async function pathOf(file: DerivedFile): Promise<string> {
    const known = found.get(file.object_key);
    if (known !== undefined) return known;
    const path = await derived.fetch(INDEX_FILES, file);
    if (path === undefined) throw new IndexFileMissing(`${file.object_key} is missing or damaged`);
    found.set(file.object_key, path);
    return path;
  }

  return {
    async pathsOf(entries) {
      const paths: string[] = [];
      for (let at = 0; at < entries.length; at += AT_ONCE) {
        paths.push(...(await Promise.all(entries.slice(at, at + AT_ONCE).map(({ file }) => pathOf(file)))));
      }
      return paths;
    },
    async beginStep() {
      pending = [];
      if (wasAway) await derived.isIntact(NOTHING);
      wasAway = false;
    },
    async store(files, signal) {
      const named = files.map((file) => ({ ...file, version: '' }));
      const stored = await derived.store(INDEX_FILES, named, signal).catch((error) => {
        wasAway = error instanceof StoreUnavailable;
        throw error;
      });
      pending = [...pending, ...stored];
      storedAt_ms = elapsed_ms();
      return stored;
    },
    isIntact: derived.isIntact,
    async refresh(read, wanted) {
      const find = async (): Promise<readonly DerivedFile[]> => {
        // Before the manifest is read: what is not pending any more has been recorded.
        const kept = elapsed_ms() - storedAt_ms < RECORDED_WITHIN_MS ? pending : [];
        const files = filesOf(await read());
        const keys = new Set(files.map(({ object_key }) => object_key));
        for (const key of found.keys()) if (!keys.has(key)) found.delete(key);
        return [...files, ...kept.filter(({ object_key }) => !keys.has(object_key))];
      };
      await derived.refresh(INDEX_FILES, find, wanted ? 'all' : 'those here');
    },
    listKnown: (manifest) => filesOf(manifest).flatMap(({ object_key }) => found.get(object_key) ?? []),
    forget() {
      found = new Map();
    },
  };
}
