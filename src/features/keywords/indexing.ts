import type { Random } from '../../base/random.ts';
import type { Thread } from '../../base/threads.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { Store } from '../../contract/store/store.ts';
import type { IndexingCalls } from './indexing-worker.ts';
import { indexablePosts, listLocalPosts } from './local-posts.ts';
import type { Manifest } from './manifest.ts';

/** Dependencies of indexing. */
export interface IndexingDependencies {
  readonly store: Store;
  readonly random: Random;
  readonly folder: string;
  readonly thread: Thread<IndexingCalls>;
  /** The first day within the retention, in days since 1970. */
  readonly firstDay: () => number;
}

/** Keeps the index up to date, one step at a time. */
export interface Indexing {
  /** The current manifest; undefined before the index was opened. */
  manifest(): Manifest | undefined;
  /** Indexes some new posts, or merges segments; false when nothing is left to do. */
  advance(): Promise<boolean>;
  /** Verifies and reopens the index; damaged parts are rebuilt. */
  check(): Promise<void>;
  /** Waits for the running step. */
  close(): Promise<void>;
}

/** Posts indexed in one step. */
const POSTS_PER_STEP = 200_000;
/** Bytes of pages in one read: reads of SQLite block the process. */
const READ_BYTES_MAX = 1_000_000;

const LOCAL_PAGES_MAX = 40;
/** Pages removed in one unit of work: other writers wait for it. */
const PAGES_PER_UNIT = 50;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** Indexes in a thread. */
export function createIndexing({ store, random, folder, thread, firstDay }: IndexingDependencies): Indexing {
  let manifest: Manifest | undefined;
  let running: Promise<boolean> | undefined;
  let isClosed = false;

  async function open(): Promise<Manifest> {
    let { mark } = await store.read((tx) => tx.corpus.findState());
    if (mark === '') mark = (await store.write((tx) => tx.corpus.lockState(random.bytes(8).toString('hex')))).mark;
    const opened = await thread.call('open', { folder, mark });
    const horizon = await store.read((tx) => tx.posts.findHorizon());
    if (ENVIRONMENTS.every((environment) => opened.localPosts[environment].stored_in < horizon)) return opened;
    // The database was moved to a server whose transactions have smaller numbers. @source decision 791
    return thread.call('discard', { folder, mark });
  }

  /** Adds pages; returns the number below which all pages are indexed. */
  async function addPages(from: number): Promise<number> {
    let next = from;
    for (let posts = 0; posts < POSTS_PER_STEP; ) {
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

  async function step(): Promise<boolean> {
    const before = await open();
    const pages = await addPages(before.pages);
    const localPosts = { ...before.localPosts };
    for (const environment of ENVIRONMENTS) {
      localPosts[environment] = await addLocalPosts(environment, localPosts[environment]);
    }
    const isSame = ENVIRONMENTS.every((environment) => localPosts[environment] === before.localPosts[environment]);
    if (pages !== before.pages || !isSame) {
      manifest = await thread.call('commit', { pages, localPosts });
      return true;
    }
    manifest = before;
    const merged = await thread.call('merge', undefined);
    manifest = merged ?? manifest;
    return (await forgetOld()) || merged !== undefined;
  }

  /**
   * Removes expired days from the index, and some of their pages from the database; false when none were left.
   * @source decision 319
   */
  async function forgetOld(): Promise<boolean> {
    manifest = await thread.call('forget', firstDay());
    const removed = await store.write(async (tx) => {
      await tx.posts.adoptForeign();
      return tx.corpus.removeBefore(firstDay(), PAGES_PER_UNIT);
    });
    return removed > 0;
  }

  return {
    manifest: () => manifest,
    advance() {
      if (isClosed) return Promise.reject(new Error('the index is closed'));
      running ??= step()
        .catch(async (error: Error) => {
          // A damaged index is rebuilt by the next step.
          await thread.call('check', folder);
          throw error;
        })
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    async check() {
      await running?.catch(() => undefined);
      await thread.call('check', folder);
      manifest = await open();
    },
    async close() {
      isClosed = true;
      await running?.catch(() => undefined);
    },
  };
}
