import { elapsed_ms } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { DerivedObjects, FileToStore } from '../../contract/services/derived-files.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import type { TermsFile } from './dictionary.ts';
import { filesOf, type Manifest } from './manifest.ts';

/** The owner of the files of the index, which also names the invalidation tag. */
export const INDEX_FILES = 'index';

/** A file of the index is missing or damaged, or was replaced after the manifest was read. */
export class IndexFileMissing extends Error {
  override readonly name = 'IndexFileMissing';
}

/** A file that does not exist, to probe whether the object store is available. */
const NOTHING: DerivedFile = { name: '', object_key: 'keywords/probe/none', version: '', bytes: 0, sha256: '' };
/** After this long, a job that lost its lease can no longer record files. */
const RECORDED_WITHIN_MS = 60_000;
/** Maximum number of concurrent fetches. */
const AT_ONCE = 8;

/** The files of the index on this machine. */
export class IndexFiles {
  readonly #derived: DerivedObjects;
  /** Known local paths, by object key. */
  #found = new Map<string, string>();
  /** Files of the current step, which its job may record at any time. */
  #pending: DerivedFile[] = [];
  #storedAt_ms = 0;
  #wasAway = false;

  constructor(derived: DerivedObjects) {
    this.#derived = derived;
  }

  async #pathOf(file: DerivedFile): Promise<string> {
    const known = this.#found.get(file.object_key);
    if (known !== undefined) return known;
    const path = await this.#derived.fetch(INDEX_FILES, file);
    if (path === undefined) throw new IndexFileMissing(`${file.object_key} is missing or damaged`);
    this.#found.set(file.object_key, path);
    return path;
  }

  /** Returns the local paths of files, which are fetched if missing. @throws IndexFileMissing, StoreUnavailable */
  async pathsOf(entries: readonly { readonly file: DerivedFile }[]): Promise<string[]> {
    const paths: string[] = [];
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      paths.push(...(await Promise.all(entries.slice(at, at + AT_ONCE).map(({ file }) => this.#pathOf(file)))));
    }
    return paths;
  }

  /** The files of the dictionary. @throws as above */
  async termsFiles({ terms }: Manifest): Promise<TermsFile[]> {
    const paths = await this.pathsOf(terms);
    return terms.map((each, at) => ({ path: paths[at]!, from: each.from, terms: each.terms, units: each.units }));
  }

  /**
   * Begins a step of a build; files of an earlier step are recorded by now, or never will be. If storing failed before,
   * rejects while the object store is unavailable, because building is expensive.
   * @throws StoreUnavailable
   */
  async beginStep(): Promise<void> {
    this.#pending = [];
    if (this.#wasAway) await this.#derived.isIntact(NOTHING);
    this.#wasAway = false;
  }

  /** Stores new files as objects. @throws StoreUnavailable */
  async store(files: readonly Pick<FileToStore, 'name' | 'path'>[], signal: AbortSignal): Promise<DerivedFile[]> {
    const named = files.map((file) => ({ ...file, version: '' }));
    const stored = await this.#derived.store(INDEX_FILES, named, signal).catch((error) => {
      this.#wasAway = error instanceof StoreUnavailable;
      throw error;
    });
    this.#pending = [...this.#pending, ...stored];
    this.#storedAt_ms = elapsed_ms();
    return stored;
  }

  isIntact(file: DerivedFile): Promise<boolean> {
    return this.#derived.isIntact(file);
  }

  /**
   * Removes local copies that are not in the recorded manifest. If `wanted`, fetches missing files first.
   * @throws StoreUnavailable
   */
  async refresh(read: () => Promise<Manifest>, wanted: boolean): Promise<void> {
    const find = async (): Promise<readonly DerivedFile[]> => {
      // Before reading the manifest, so that files that are no longer pending are recorded in it.
      const kept = elapsed_ms() - this.#storedAt_ms < RECORDED_WITHIN_MS ? this.#pending : [];
      const files = filesOf(await read());
      const keys = new Set(files.map(({ object_key }) => object_key));
      for (const key of this.#found.keys()) if (!keys.has(key)) this.#found.delete(key);
      return [...files, ...kept.filter(({ object_key }) => !keys.has(object_key))];
    };
    await this.#derived.refresh(INDEX_FILES, find, wanted ? 'all' : 'those here');
  }

  /** Returns the known local paths of the files of a manifest. */
  listKnown(manifest: Manifest): string[] {
    return filesOf(manifest).flatMap(({ object_key }) => this.#found.get(object_key) ?? []);
  }

  /** Clears the known paths. */
  forget(): void {
    this.#found = new Map();
  }
}
