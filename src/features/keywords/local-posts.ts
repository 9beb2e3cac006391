import { instantMs } from '../../base/instants.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { ReadTransaction, Store } from '../../storage/unit-of-work.ts';

const PAGE = 500;
/** Below this number, local posts are scanned instead of indexed. */
const INDEXED_MIN = 500;

/** The position before all local posts. */
export const BEFORE_ALL_POSTS: PostPosition = { stored_in: 0, id: '' };

/** A local post with its position in storage order. */
type LocalPost = CorpusPost & PostPosition;

/**
 * Reads the public posts created on this server in an environment, after a position, in up to `pages_max` pages.
 * @source decision 308
 */
export async function listLocalPosts(
  store: Pick<Store, 'read'>,
  environment: Environment,
  after: PostPosition,
  pages_max = Number.POSITIVE_INFINITY,
): Promise<LocalPost[]> {
  const posts: LocalPost[] = [];
  for (let pages = 0; pages < pages_max; pages++) {
    const page = await store.read((tx) => readPage(tx, environment, posts.at(-1) ?? after));
    posts.push(...page);
    if (page.length < PAGE) break;
  }
  return posts;
}

/** Reads a page of posts. The country of a post is that of its author in the directory. */
async function readPage(tx: ReadTransaction, environment: Environment, after: PostPosition): Promise<LocalPost[]> {
  const rows = await tx.posts.listTexts(environment, after, PAGE);
  const countries = await tx.directory.listCountries([...new Set(rows.map(({ user_id }) => user_id))]);
  return rows.map(({ id, stored_in, text, created_at, lang, user_id }) => ({
    id,
    stored_in,
    text,
    created_at: Math.floor(instantMs(created_at) / 1000),
    country: countries.get(user_id) ?? null,
    language: lang,
    user_id,
  }));
}

/**
 * Returns the local posts that can be indexed: those before the horizon, where all transactions have ended, so that no
 * earlier post can appear. Returns none if there are few.
 * @source decision 790
 */
export function indexablePosts(posts: readonly LocalPost[], horizon: number): readonly LocalPost[] {
  const unsettled = posts.findIndex(({ stored_in }) => stored_in >= horizon);
  const settled = unsettled < 0 ? posts : posts.slice(0, unsettled);
  return settled.length < INDEXED_MIN ? [] : settled;
}
