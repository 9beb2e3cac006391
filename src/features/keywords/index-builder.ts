import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../base/random.ts';
import type { Thread } from '../../base/threads.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { IndexStep } from '../../contract/services/keywords.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import type { IndexFiles } from './index-files.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import {
  ANALYSER,
  type BuiltTerms,
  emptyManifest,
  filesOf,
  type Manifest,
  parseManifest,
  type SegmentEntry,
  type TermsEntry,
} from './manifest.ts';

/** Dependencies of building the index. */
interface IndexBuilderParts {
  readonly store: Store;
  readonly random: Random;
  readonly files: IndexFiles;
  /** The parent folder of builds. */
  readonly folder: string;
  readonly thread: Thread<IndexingCalls>;
  /** The first day within the retention, in days since 1970. */
  readonly firstDay: () => number;
}

/** Posts to index in one step. */
const POSTS_PER_STEP = 200_000;
/** Bytes of pages in one read: reads of SQLite block the process. */
const READ_BYTES_MAX = 1_000_000;
const LOCAL_PAGES_MAX = 40;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** The index on which a step builds. */
interface Base {
  readonly revision: number;
  /** The recorded manifest, usable or not. */
  readonly recorded: Manifest | undefined;
  readonly manifest: Manifest;
}

/** Attempts per index before its files are checked. */
const TRIES = 2;

/** Builds the index in a thread, one step at a time; the result of a step counts once its job has recorded it. @source decision 815 */
export class IndexBuilder {
  readonly #parts: IndexBuilderParts;
  /** The folder of new files. */
  readonly #folder: string;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: IndexBuilderParts) {
    this.#parts = parts;
    this.#folder = join(parts.folder, parts.random.bytes(6).toString('hex'));
  }

  /** Indexes some new posts, merges segments, or drops expired days. */
  build(signal: AbortSignal): Promise<IndexStep> {
    return this.#inTurn(async () => {
      const { files } = this.#parts;
      await files.beginStep();
      let base = await this.#findBase();
      for (let tries = 1; ; tries++) {
        try {
          return await this.#step(base, signal);
        } catch (error) {
          if (signal.aborted || error instanceof Problem) throw error;
          files.forget();
          const recorded = await this.#findBase();
          // Another process on this folder may have replaced files; then the step is built on its index.
          if (recorded.revision !== base.revision) tries = 0;
          base = recorded;
          if (tries < TRIES) continue;
          const checked = await this.#checked(base);
          if (!checked.change) throw error;
          return checked;
        }
      }
    });
  }

  /** Reads all files; an index with a missing or damaged file is rebuilt. */
  check(): Promise<IndexStep> {
    return this.#inTurn(async () => this.#checked(await this.#findBase()));
  }

  /** Waits for the running step. */
  async close(): Promise<void> {
    await this.#running;
    await this.#removeFolder();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#running.then(work);
    this.#running = done.catch(() => undefined);
    return done;
  }

  #removeFolder(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  #newId(): string {
    return this.#parts.random.bytes(8).toString('hex');
  }

  /** The recorded index; an empty one if it belongs to another corpus, analyser or server. */
  async #findBase(): Promise<Base> {
    const { store } = this.#parts;
    const { found, horizon, ...state } = await store.read(async (tx) => ({
      found: await tx.corpus.findIndex(),
      horizon: await tx.posts.findHorizon(),
      mark: (await tx.corpus.findState()).mark,
    }));
    const mark = state.mark || (await store.write((tx) => tx.corpus.lockState(this.#newId()))).mark;
    const recorded = found && parseManifest(found.manifest);
    const isUsable =
      recorded?.mark === mark &&
      recorded.analyser === ANALYSER &&
      // Otherwise the database was moved to a server whose transactions have smaller numbers. @source decision 791
      ENVIRONMENTS.every((environment) => recorded.localPosts[environment].stored_in < horizon);
    const manifest = isUsable ? recorded : emptyManifest(mark, this.#newId());
    return { revision: found?.revision ?? 0, recorded, manifest };
  }

  async #step(base: Base, signal: AbortSignal): Promise<IndexStep> {
    const { manifest } = base;
    const { files, thread } = this.#parts;
    const terms = await files.termsFiles(manifest);
    await thread.call('open', { folder: this.#folder, edition: manifest.edition, terms });
    for (const work of [this.#withNewPosts, this.#withMerged, this.#withoutExpired]) {
      signal.throwIfAborted();
      const next = await work.call(this, manifest, signal);
      if (next !== manifest) return this.#stepTo(base, next);
    }
    return this.#stepTo(base, manifest);
  }

  #stepTo({ revision, recorded }: Base, manifest: Manifest): IndexStep {
    const firstDay = this.#parts.firstDay();
    if (manifest === recorded) return { change: undefined, firstDay };
    const [before, now] = [recorded ? filesOf(recorded) : [], filesOf(manifest)].map(
      (files) => new Set(files.map(({ object_key }) => object_key)),
    ) as [Set<string>, Set<string>];
    const change = {
      former: revision,
      manifest: JSON.stringify(manifest),
      added: [...now].filter((key) => !before.has(key)),
      replaced: [...before].filter((key) => !now.has(key)),
    };
    return { change, firstDay };
  }

  /** Adds pages; returns the number of the first page that is not indexed. */
  async #addPages(from: number, signal: AbortSignal): Promise<number> {
    const { store, thread, firstDay } = this.#parts;
    let next = from;
    for (let posts = 0; posts < POSTS_PER_STEP; ) {
      signal.throwIfAborted();
      const first = next;
      const { pages, state } = await store.read(async (tx) => ({
        state: await tx.corpus.findState(),
        pages: await tx.corpus.listPages(first, READ_BYTES_MAX),
      }));
      if (pages.length === 0) return state.pages;
      const recent = pages.filter(({ day }) => day >= firstDay());
      await thread.call('addPages', recent);
      for (const page of pages) posts += page.posts;
      next = pages.at(-1)!.number + 1;
    }
    return next;
  }

  /** Adds local posts once there are enough of them; returns the position of the last one. */
  async #addLocalPosts(environment: Environment, after: PostPosition): Promise<PostPosition> {
    const { store, thread } = this.#parts;
    // Read first, so that the posts include all before the horizon.
    const horizon = await store.read((tx) => tx.posts.findHorizon());
    const posts = indexablePosts(await listLocalPosts(store, environment, after, LOCAL_PAGES_MAX), horizon);
    if (posts.length === 0) return after;
    await thread.call('addPosts', { scope: environment, posts });
    const { stored_in, id } = posts.at(-1)!;
    return { stored_in, id };
  }

  /** Returns a manifest with new posts; the same one if there are none. */
  async #withNewPosts(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const { thread } = this.#parts;
    const pages = await this.#addPages(before.pages, signal);
    const localPosts = { ...before.localPosts };
    for (const environment of ENVIRONMENTS) {
      localPosts[environment] = await this.#addLocalPosts(environment, localPosts[environment]);
    }
    const isSame = ENVIRONMENTS.every((environment) => localPosts[environment] === before.localPosts[environment]);
    if (pages === before.pages && isSame) return before;
    signal.throwIfAborted();
    const { segments, terms } = await thread.call('finish', undefined);
    const known = before.terms.at(-1)?.terms ?? 0;
    const lasting = terms === known ? before.terms : before.terms.slice(0, countUnchanged(before.terms, terms));
    const more: BuiltTerms[] = [];
    if (terms !== known) more.push(await thread.call('storeTerms', lasting.at(-1)?.terms ?? 0));
    const stored = await this.#store([...more, ...segments], signal);
    const storedSegments = segments.map((each, at) => ({ ...each, file: stored[more.length + at]! }));
    return {
      ...before,
      pages,
      localPosts,
      segments: [...before.segments, ...storedSegments],
      terms: [...lasting, ...more.map((each, at) => ({ ...each, file: stored[at]! }))],
    };
  }

  /** Stores new files as objects. */
  async #store(built: readonly { readonly name: string }[], signal: AbortSignal): Promise<DerivedFile[]> {
    const paths = built.map(({ name }) => ({ name, path: join(this.#folder, name) }));
    const stored = await this.#parts.files.store(paths, signal);
    // The objects are copies.
    await this.#removeFolder();
    return stored;
  }

  /** Returns a manifest with merged segments; the same one if there are few. */
  async #withMerged(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const group = selectForMerge(before.segments);
    if (!group) return before;
    const paths = await this.#parts.files.pathsOf(group);
    signal.throwIfAborted();
    const merged = await this.#parts.thread.call('merge', { group, paths });
    const [file] = await this.#store([merged], signal);
    return {
      ...before,
      segments: [...before.segments.filter((each) => !group.includes(each)), { ...merged, file: file! }],
    };
  }

  /**
   * Returns a manifest without expired days and the terms that only their posts had; the same one if there are none.
   * @source decision 319, 817
   */
  async #withoutExpired(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const { files, thread, firstDay } = this.#parts;
    const day = firstDay();
    const segments = before.segments.filter((each) => each.day >= day);
    if (segments.length === before.segments.length) return before;
    const paths = await files.pathsOf(segments);
    signal.throwIfAborted();
    const terms = await thread.call('forgetTerms', paths);
    if (!terms) return { ...before, segments };
    const [file] = await this.#store([terms], signal);
    return { ...before, edition: this.#newId(), segments, terms: [{ ...terms, file: file! }] };
  }

  /** Replaces a damaged index by an empty one. */
  async #checked(base: Base): Promise<IndexStep> {
    const { manifest } = base;
    const isIntact = await this.#isIntact(manifest);
    return this.#stepTo(base, isIntact ? manifest : emptyManifest(manifest.mark, this.#newId()));
  }

  async #isIntact(manifest: Manifest): Promise<boolean> {
    const { files, thread } = this.#parts;
    for (const file of filesOf(manifest)) if (!(await files.isIntact(file))) return false;
    try {
      const segments = await files.pathsOf(manifest.segments);
      return await thread.call('areReadable', { terms: await files.termsFiles(manifest), segments });
    } catch (error) {
      if (error instanceof Problem) throw error;
      return false;
    }
  }
}

/** Segments of a day before they are merged; each one slows searches down a little. */
const SEGMENTS_MAX = 4;
/** Maximum number of posts of a merged segment. */
const MERGED_POSTS_MAX = 500_000;

/**
 * Chooses segments of a day to merge when it has too many: the smallest, and each next one while it is not much larger
 * than those before it together, so that posts are rarely rewritten. Undefined if no merge is needed.
 */
function selectForMerge(segments: readonly SegmentEntry[]): readonly SegmentEntry[] | undefined {
  const small = segments.filter(({ posts }) => posts < MERGED_POSTS_MAX / 2);
  for (const ofDay of Map.groupBy(small, ({ scope, day }) => `${scope} ${day}`).values()) {
    if (ofDay.length <= SEGMENTS_MAX) continue;
    const group: SegmentEntry[] = [];
    let posts = 0;
    for (const segment of ofDay.sort((a, b) => a.posts - b.posts || (a.name < b.name ? -1 : 1))) {
      if (posts + segment.posts > MERGED_POSTS_MAX || (group.length >= 2 && segment.posts > posts * 2)) break;
      group.push(segment);
      posts += segment.posts;
    }
    if (group.length > 1) return group;
  }
  return undefined;
}

/**
 * Returns how many files of terms are kept when terms are added. The last ones are rewritten together with the new terms
 * unless they are much larger, so that there are few files and terms are rarely rewritten.
 * @source decision 816
 */
function countUnchanged(files: readonly TermsEntry[], terms: number): number {
  return files.findLastIndex((file) => file.terms - file.from > 2 * (terms - file.terms)) + 1;
}
