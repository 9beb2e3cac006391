import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../base/random.ts';
import type { Thread } from '../../base/threads.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { IndexStep } from '../../contract/services/keywords.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { Store } from '../../contract/store/store.ts';
import type { TermsFile } from './dictionary.ts';
import type { IndexFiles } from './index-files.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import { ANALYSER, type BuiltTerms, emptyManifest, filesOf, type Manifest, parseManifest } from './manifest.ts';
import { countLasting, selectForMerge } from './merge-policy.ts';

/** Dependencies of building the index. */
export interface IndexBuilderParts {
  readonly store: Store;
  readonly random: Random;
  readonly files: IndexFiles;
  /** The folder of the folders of files that are being built. */
  readonly folder: string;
  readonly thread: Thread<IndexingCalls>;
  /** The first day within the retention, in days since 1970. */
  readonly firstDay: () => number;
}

/** Builds the index, one step at a time; what it has built counts once its job has recorded it. */
export interface IndexBuilder {
  /** Indexes some new posts, merges segments, or forgets expired days. */
  build(signal: AbortSignal): Promise<IndexStep>;
  /** Reads all files; an index with a file that is missing or damaged is to be built anew. */
  check(): Promise<IndexStep>;
  /** Waits for the running step. */
  close(): Promise<void>;
}

/** Posts indexed in one step. */
const POSTS_PER_STEP = 200_000;
/** Bytes of pages in one read: reads of SQLite block the process. */
const READ_BYTES_MAX = 1_000_000;
const LOCAL_PAGES_MAX = 40;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** A step on a manifest, which was recorded in this revision. */
interface Base {
  readonly revision: number;
  /** What is recorded, usable or not. */
  readonly recorded: Manifest | undefined;
  readonly manifest: Manifest;
}

/** Attempts at a step on one index, before its files are checked. */
const TRIES = 2;

/** Builds in a thread. @source decision 815 */
export function createIndexBuilder({
  store,
  random,
  files,
  folder,
  thread,
  firstDay,
}: IndexBuilderParts): IndexBuilder {
  const newFolder = join(folder, random.bytes(6).toString('hex'));
  const newEdition = (): string => random.bytes(8).toString('hex');
  let running: Promise<unknown> = Promise.resolve();

  /** What is recorded; an empty index instead, if it is that of another corpus, analyser or server. */
  async function findBase(): Promise<Base> {
    const { found, ...state } = await store.read(async (tx) => ({
      found: await tx.corpus.findIndex(),
      horizon: await tx.posts.findHorizon(),
      mark: (await tx.corpus.findState()).mark,
    }));
    const mark = state.mark || (await store.write((tx) => tx.corpus.lockState(random.bytes(8).toString('hex')))).mark;
    const recorded = found && parseManifest(found.manifest);
    const isUsable =
      recorded?.mark === mark &&
      recorded.analyser === ANALYSER &&
      // Otherwise the database was moved to a server whose transactions have smaller numbers. @source decision 791
      ENVIRONMENTS.every((environment) => recorded.localPosts[environment].stored_in < state.horizon);
    const manifest = isUsable ? recorded : emptyManifest(mark, newEdition());
    return { revision: found?.revision ?? 0, recorded, manifest };
  }

  function stepTo({ revision, recorded }: Base, manifest: Manifest): IndexStep {
    if (manifest === recorded) return { change: undefined, firstDay: firstDay() };
    const [before, now] = [recorded ? filesOf(recorded) : [], filesOf(manifest)].map((list) =>
      list!.map(({ object_key }) => object_key),
    );
    const [had, has] = [new Set(before), new Set(now)];
    const change = {
      former: revision,
      manifest: JSON.stringify(manifest),
      added: now!.filter((key) => !had.has(key)),
      replaced: before!.filter((key) => !has.has(key)),
    };
    return { change, firstDay: firstDay() };
  }

  /** Adds pages; returns the number below which all pages are indexed. */
  async function addPages(from: number, signal: AbortSignal): Promise<number> {
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
  async function addLocalPosts(environment: Environment, after: PostPosition): Promise<PostPosition> {
    // Read before the posts, which therefore include all before the horizon.
    const horizon = await store.read((tx) => tx.posts.findHorizon());
    const posts = indexablePosts(await listLocalPosts(store, environment, after, LOCAL_PAGES_MAX), horizon);
    if (posts.length === 0) return after;
    await thread.call('addPosts', { scope: environment, posts });
    const { stored_in, id } = posts.at(-1)!;
    return { stored_in, id };
  }

  /** A manifest with new posts; the same one if there are none. */
  async function withNewPosts(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const pages = await addPages(before.pages, signal);
    const localPosts = { ...before.localPosts };
    for (const environment of ENVIRONMENTS) {
      localPosts[environment] = await addLocalPosts(environment, localPosts[environment]);
    }
    const isSame = ENVIRONMENTS.every((environment) => localPosts[environment] === before.localPosts[environment]);
    if (pages === before.pages && isSame) return before;
    signal.throwIfAborted();
    const { segments, terms } = await thread.call('finish', undefined);
    const known = before.terms.at(-1)?.terms ?? 0;
    const lasting = terms === known ? before.terms : before.terms.slice(0, countLasting(before.terms, terms));
    const more: BuiltTerms[] = [];
    if (terms !== known) more.push(await thread.call('storeTerms', lasting.at(-1)?.terms ?? 0));
    const [storedTerms, storedSegments] = await storeAll(more, segments, signal);
    return {
      ...{ ...before, pages, localPosts },
      segments: [...before.segments, ...storedSegments],
      terms: [...lasting, ...storedTerms],
    };
  }

  async function storeAll<T extends { name: string }, S extends { name: string }>(
    terms: readonly T[],
    segments: readonly S[],
    signal: AbortSignal,
  ) {
    const paths = [...terms, ...segments].map(({ name }) => ({ name, path: join(newFolder, name) }));
    const stored = await files.store(paths, signal);
    // They have other names now.
    await rm(newFolder, { recursive: true, force: true });
    return [
      terms.map((each, at) => ({ ...each, file: stored[at]! })),
      segments.map((each, at) => ({ ...each, file: stored[terms.length + at]! })),
    ] as const;
  }

  /** A manifest with fewer segments of a day; the same one if it has few. */
  async function withMerged(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const group = selectForMerge(before.segments);
    if (!group) return before;
    const paths = await files.pathsOf(group);
    signal.throwIfAborted();
    const merged = await thread.call('merge', { group, paths });
    const [, [made]] = await storeAll([], [merged], signal);
    return { ...before, segments: [...before.segments.filter((each) => !group.includes(each)), made!] };
  }

  /**
   * A manifest without expired days, and without the words that only their posts had; the same one if there are none.
   * @source decision 319, 817
   */
  async function withoutExpired(before: Manifest, signal: AbortSignal): Promise<Manifest> {
    const day = firstDay();
    const segments = before.segments.filter((each) => each.day >= day);
    if (segments.length === before.segments.length) return before;
    const paths = await files.pathsOf(segments);
    signal.throwIfAborted();
    const written = await thread.call('forgetTerms', paths);
    if (!written) return { ...before, segments };
    const [terms] = await storeAll([written], [], signal);
    return { ...before, edition: newEdition(), segments, terms };
  }

  const termsOf = async ({ terms }: Manifest): Promise<TermsFile[]> => {
    const paths = await files.pathsOf(terms);
    return terms.map((each, at) => ({ path: paths[at]!, from: each.from, terms: each.terms, units: each.units }));
  };

  async function step(base: Base, signal: AbortSignal): Promise<IndexStep> {
    const { manifest } = base;
    await thread.call('open', { folder: newFolder, edition: manifest.edition, terms: await termsOf(manifest) });
    for (const work of [withNewPosts, withMerged, withoutExpired]) {
      signal.throwIfAborted();
      const next = await work(manifest, signal);
      if (next !== manifest) return stepTo(base, next);
    }
    return stepTo(base, manifest);
  }

  /** Begins an empty index in place of a damaged one; what is recorded if it is not damaged. */
  async function checked(base: Base): Promise<IndexStep> {
    const { manifest } = base;
    if (await isIntact(manifest)) return stepTo(base, manifest);
    return stepTo(base, emptyManifest(manifest.mark, newEdition()));
  }

  async function isIntact(manifest: Manifest): Promise<boolean> {
    for (const file of filesOf(manifest)) if (!(await files.isIntact(file))) return false;
    try {
      const segments = await files.pathsOf(manifest.segments);
      return await thread.call('areReadable', { terms: await termsOf(manifest), segments });
    } catch (error) {
      if (error instanceof Problem) throw error;
      return false;
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = running.then(work);
    running = done.catch(() => undefined);
    return done;
  }

  return {
    build: (signal) =>
      inTurn(async () => {
        await files.beginStep();
        let base = await findBase();
        for (let tries = 1; ; tries++) {
          try {
            return await step(base, signal);
          } catch (error) {
            if (signal.aborted || error instanceof Problem) throw error;
            files.forget();
            const recorded = await findBase();
            // Another process on this folder removes files that were replaced; then there is another index to build on.
            if (recorded.revision !== base.revision) tries = 0;
            base = recorded;
            if (tries < TRIES) continue;
            const found = await checked(base);
            if (!found.change) throw error;
            return found;
          }
        }
      }),
    check: () => inTurn(async () => checked(await findBase())),
    async close() {
      await running;
      await rm(newFolder, { recursive: true, force: true });
    },
  };
}
