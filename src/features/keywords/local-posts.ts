import { instantMs } from '../../base/instants.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import type { ReadTransaction, Store } from '../../contract/store/store.ts';

const PAGE = 500;
/** Below this number, local posts are scanned instead of indexed. */
const INDEXED_MIN = 500;
/** Longer than any unit of work that stores posts takes: after it, all smaller ids are committed. */
const SETTLED_MS = 600_000;

/**
 * The public posts created on this server in an environment, after an id, in up to `pages_max` pages.
 * @source decision 308
 */
export async function listLocalPosts(
  store: Pick<Store, 'read'>,
  environment: Environment,
  after: string,
  pages_max = Number.POSITIVE_INFINITY,
): Promise<CorpusPost[]> {
  const posts: CorpusPost[] = [];
  for (let pages = 0; pages < pages_max; pages++) {
    const page = await store.read((tx) => readPage(tx, environment, posts.at(-1)?.id ?? after));
    posts.push(...page);
    if (page.length < PAGE) break;
  }
  return posts;
}

/** A page of posts; their country is that of the author in the directory. */
async function readPage(tx: ReadTransaction, environment: Environment, after: string): Promise<CorpusPost[]> {
  const rows = await tx.posts.listTexts(environment, after, PAGE);
  const countries = await tx.directory.listCountries([...new Set(rows.map(({ user_id }) => user_id))]);
  return rows.map(({ id, text, created_at, lang, user_id }) => ({
    id,
    text,
    created_at: Math.floor(instantMs(created_at) / 1000),
    country: countries.get(user_id) ?? null,
    language: lang,
    user_id,
  }));
}

/** The local posts that may be indexed: those before which no further post can appear; none when they are few. */
export function indexablePosts(made: readonly CorpusPost[], now_ms: number): readonly CorpusPost[] {
  const settled = (now_ms - SETTLED_MS) / 1000;
  const recent = made.findIndex(({ created_at }) => created_at > settled);
  const posts = recent < 0 ? made : made.slice(0, recent);
  return posts.length < INDEXED_MIN ? [] : posts;
}
