import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Thread } from '../../base/threads.ts';
import type { Environment } from '../../contract/declare/resource.ts';
import type { Store } from '../../contract/store/store.ts';
import type { IndexingAnswers } from './indexing-worker.ts';
import { postsMadeHere, settledOf } from './local-posts.ts';
import type { Manifest } from './manifest.ts';

/** What the index is kept up to date with. */
export interface IndexingParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly folder: string;
  readonly thread: Thread<IndexingAnswers>;
  /** The first day that counts, in days since 1970. */
  readonly firstDay: () => number;
}

/** Keeps the index up to date, a piece at a time. */
export interface Indexing {
  /** The index as it is; undefined before it was opened. */
  manifest(): Manifest | undefined;
  /** Indexes a piece of what was stored, or merges some of what is indexed; false when nothing is left to do. */
  advance(): Promise<boolean>;
  /** Opens the index anew: what is missing of it is made again. */
  check(): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Posts that are indexed in one go. */
const POSTS_AT_ONCE = 200_000;
/** Bytes of pages that are read in one go: a read of the embedded database holds up everybody. */
const READ_BYTES_MAX = 1_000_000;

const MADE_HERE_PAGES = 40;
/** Pages that are removed in one unit: others wait for it. */
const REMOVED_AT_ONCE = 50;
const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** Keeps an index in a thread. */
export function indexing({ store, clock, random, folder, thread, firstDay }: IndexingParts): Indexing {
  let manifest: Manifest | undefined;
  let running: Promise<boolean> | undefined;
  let isClosed = false;

  async function open(): Promise<Manifest> {
    let { mark } = await store.read((tx) => tx.corpus.findState());
    if (mark === '') mark = (await store.write((tx) => tx.corpus.lockState(random.bytes(8).toString('hex')))).mark;
    return thread.call('open', { folder, mark });
  }

  /** Adds pages; the answer is the number below which all are in. */
  async function addPages(from: number): Promise<number> {
    let next = from;
    for (let posts = 0; posts < POSTS_AT_ONCE; ) {
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

  /** Adds posts that were made here, when they are many; the answer is the last. */
  async function addMadeHere(environment: Environment, after: string): Promise<string> {
    const posts = settledOf(await postsMadeHere(store, environment, after, MADE_HERE_PAGES), clock.now());
    if (posts.length === 0) return after;
    await thread.call('addPosts', { scope: environment, posts });
    return posts.at(-1)!.id;
  }

  async function step(): Promise<boolean> {
    const before = await open();
    const pages = await addPages(before.pages);
    const posts = { ...before.posts };
    for (const environment of ENVIRONMENTS) posts[environment] = await addMadeHere(environment, posts[environment]);
    const isSame = ENVIRONMENTS.every((environment) => posts[environment] === before.posts[environment]);
    if (pages !== before.pages || !isSame) {
      manifest = await thread.call('commit', { pages, posts });
      return true;
    }
    manifest = before;
    const merged = await thread.call('merge', undefined);
    manifest = merged ?? manifest;
    return (await forgetOld()) || merged !== undefined;
  }

  async function forgetOld(): Promise<boolean> {
    manifest = await thread.call('forget', firstDay());
    const removed = await store.write((tx) => tx.corpus.removeBefore(firstDay(), REMOVED_AT_ONCE));
    return removed > 0;
  }

  return {
    manifest: () => manifest,
    advance() {
      if (isClosed) return Promise.reject(new Error('the index is closed'));
      running ??= step()
        .catch(async (error: Error) => {
          // What is broken is made again the next time.
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
