import { instantMs } from '../../base/instants.ts';
import type { Environment } from '../../contract/declare/resource.ts';
import type { CorpusPost } from '../../contract/store/corpus.ts';
import type { ReadTransaction, Store } from '../../contract/store/store.ts';

const PAGE = 500;
/** Fewer are looked through as they are. */
const MANY = 500;
/** A unit of work that stores a post takes no longer: whatever has a smaller id is there by then. */
const SETTLED_MS = 600_000;

/** The posts for everybody that were made in an environment after one of them, by id, so many pages at most. */
export async function postsMadeHere(
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

/** A page of posts; where they are from is where the directory has their authors. */
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

/** Those of posts made here that may be indexed: up to the first to which others may still be added; none when they are few. */
export function settledOf(made: readonly CorpusPost[], now_ms: number): readonly CorpusPost[] {
  const settled = (now_ms - SETTLED_MS) / 1000;
  const recent = made.findIndex(({ created_at }) => created_at > settled);
  const posts = recent < 0 ? made : made.slice(0, recent);
  return posts.length < MANY ? [] : posts;
}
