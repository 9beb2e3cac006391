import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import { secureRandom } from '../../base/random.ts';
import { KEYWORD_INDEXING } from '../../contract/services/keywords.ts';
import type { CorpusPage, CorpusPost } from '../../contract/store/corpus.ts';
import type { Store } from '../../contract/store/store.ts';
import { hashOf, lastHash } from '../../features/keywords/hashes.ts';
import { DAY_S, packPage } from '../../features/keywords/page.ts';
import type { Telling } from '../people/take-in.ts';
import { type KnownIds, noKnownIds } from './known-ids.ts';

/** What a source of posts gives: a post, or words about what it has in place of one. */
export type PostSaid = CorpusPost | readonly string[];

/** Posts from somewhere, always the same in the same order. */
export interface PostSource {
  /** Under this name an import that was broken off goes on. */
  readonly name: string;
  /** Some at a time. */
  posts(): AsyncIterable<readonly PostSaid[]> | Iterable<readonly PostSaid[]>;
}

/** What taking posts in came to. */
export interface PostsTakenIn {
  readonly added: number;
  /** There already. */
  readonly known: number;
  /** So old that they would be removed at once. */
  readonly expired: number;
  readonly refused: number;
  /** Taken in by an import that was broken off. */
  readonly skipped: number;
}

/** Where posts are taken in. */
export interface TakingPosts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: { readonly keyword_retention_days: number };
}

/** Posts in one unit of work. */
const BATCH = 16_384;
/** Ids that are kept in memory; of days whose ids are not, they are read again. */
const KNOWN_MAX = 20_000_000;

/**
 * Takes posts in, batch by batch, each durable with the place to which it came. A post is told from others of its day by its
 * id: whatever is there already is left as it is, also when others take posts in meanwhile. Indexing is planned with each batch.
 */
export async function takePostsIn(ground: TakingPosts, source: PostSource, telling: Telling): Promise<PostsTakenIn> {
  const { store, clock, settings } = ground;
  const skipped = await store.read((tx) => tx.corpus.findProgress(source.name));
  const firstDay = Math.floor(clock.now() / 1000 / DAY_S) - settings.keyword_retention_days;
  const totals = { added: 0, known: 0, expired: 0, refused: 0 };
  const days = new Map<number, KnownIds>();
  let batch = new Map<number, CorpusPost[]>();
  let size = 0;
  let done = 0;

  async function flush(): Promise<void> {
    if (done <= skipped) return;
    const posts = batch;
    batch = new Map();
    let added: number | undefined;
    while (added === undefined) added = await storeBatch({ store, clock, days }, posts, { name: source.name, done });
    totals.added += added;
    totals.known += size - added;
    size = 0;
    forgetSome(days);
    telling.progress(done);
  }

  for await (const some of source.posts()) {
    for (const said of some) {
      done += 1;
      if (done <= skipped) continue;
      if (!('id' in said)) {
        totals.refused += 1;
        telling.refused(done, said);
        continue;
      }
      const day = Math.floor(said.created_at / DAY_S);
      if (day < firstDay) {
        totals.expired += 1;
        continue;
      }
      const ofDay = batch.get(day);
      if (ofDay) ofDay.push(said);
      else batch.set(day, [said]);
      size += 1;
      if (size === BATCH) await flush();
    }
  }
  await flush();
  await store.write((tx) => tx.corpus.forgetProgress(source.name));
  return { ...totals, skipped };
}

interface Storing {
  readonly store: Store;
  readonly clock: Clock;
  readonly days: Map<number, KnownIds>;
}

/** Stores what is new; the answer is how much, or undefined when others have stored pages since these were prepared. */
async function storeBatch(
  { store, clock, days }: Storing,
  batch: ReadonlyMap<number, readonly CorpusPost[]>,
  { name, done }: { readonly name: string; readonly done: number },
): Promise<number | undefined> {
  const pagesBefore = await lookAt(store, days, [...batch.keys()]);
  const pages: CorpusPage[] = [];
  let added = 0;
  for (const [day, posts] of batch) {
    const fresh = freshOf(posts, days.get(day)!);
    if (fresh.length > 0) pages.push(packPage(day, fresh));
    added += fresh.length;
  }
  const isStored = await store.write(async (tx) => {
    const state = await tx.corpus.lockState(secureRandom.bytes(8).toString('hex'));
    if (state.pages !== pagesBefore) return false;
    if (pages.length > 0) {
      await tx.corpus.addPages(pages);
      await tx.jobs.planBy({ kind: KEYWORD_INDEXING, key: '', run_at: formatInstant(clock.now()) });
    }
    await tx.corpus.keepProgress(name, done);
    return true;
  });
  if (!isStored) return undefined;
  for (const { day, ids } of pages) {
    addIds(days.get(day)!, ids);
    days.get(day)!.seen = pagesBefore + pages.length;
  }
  return added;
}

/** Learns which posts of some days are there; the answer is how many pages there are. */
function lookAt(store: Store, days: Map<number, KnownIds>, wanted: readonly number[]): Promise<number> {
  return store.read(async (tx) => {
    const { pages } = await tx.corpus.findState();
    for (const day of wanted) {
      const known = days.get(day) ?? noKnownIds();
      // Those that were used last stand last.
      days.delete(day);
      days.set(day, known);
      for (const ids of await tx.corpus.listIds(day, known.seen)) addIds(known, ids);
      known.seen = pages;
    }
    return pages;
  });
}

function addIds(known: KnownIds, ids: Uint8Array): void {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
  for (let at = 0; at < bytes.length; at += 8) known.add(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
}

/** Those that are not known, each once: of a post that is given twice the first is taken. */
function freshOf(posts: readonly CorpusPost[], known: KnownIds): CorpusPost[] {
  const own = noKnownIds();
  return posts.filter(({ id }) => {
    hashOf(id);
    const { low, high } = lastHash;
    if (known.has(low, high) || own.has(low, high)) return false;
    own.add(low, high);
    return true;
  });
}

function forgetSome(days: Map<number, KnownIds>): void {
  let ids = 0;
  for (const { size } of days.values()) ids += size;
  for (const [day, { size }] of days) {
    if (ids <= KNOWN_MAX) break;
    days.delete(day);
    ids -= size;
  }
}
