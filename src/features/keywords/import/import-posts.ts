import type { Clock } from '../../../base/clock.ts';
import type { ImportProgress } from '../../../base/import-progress.ts';
import { formatInstant } from '../../../base/instants.ts';
import { secureRandom } from '../../../base/random.ts';
import { KEYWORD_INDEXING } from '../../../contract/services/keywords.ts';
import type { CorpusPage, CorpusPost } from '../../../contract/store/corpus.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { DAY_S, packPage } from '../post-page.ts';
import { hashText, lastHash } from '../text-hash.ts';

/** A post, or the errors of an invalid record. */
export type PostOrErrors = CorpusPost | readonly string[];

/** A source of posts that yields the same records in the same order each time. */
interface PostSource {
  /** The key of the stored progress, from which an interrupted import resumes. */
  readonly name: string;
  /** Yields chunks of records. */
  posts(): AsyncIterable<readonly PostOrErrors[]> | Iterable<readonly PostOrErrors[]>;
}

/** The result of an import of posts. */
export interface PostsImported {
  readonly added: number;
  /** Skipped because they are already in the corpus. */
  readonly known: number;
  /** Older than the retention. */
  readonly expired: number;
  readonly refused: number;
  /** Imported by an earlier run that was interrupted. */
  readonly skipped: number;
}

/** Dependencies of an import of posts. */
interface PostImportDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: { readonly keyword_retention_days: number };
}

/** Posts per transaction. */
const BATCH = 16_384;
/** Maximum number of ids in memory; evicted days are read again. */
const CACHED_IDS_MAX = 20_000_000;

/**
 * Imports posts in batches; each is stored together with the progress, and indexing is scheduled. A post whose id its
 * day already has is skipped, even when other imports run at the same time.
 * @source decision 317, 319
 */
export async function importPosts(
  { store, clock, settings }: PostImportDependencies,
  source: PostSource,
  progress: ImportProgress,
): Promise<PostsImported> {
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
    evictDays(days);
    progress.stored(done);
  }

  for await (const chunk of source.posts()) {
    for (const record of chunk) {
      done += 1;
      if (done <= skipped) continue;
      if (!('id' in record)) {
        totals.refused += 1;
        progress.rejected(done, record);
        continue;
      }
      const day = Math.floor(record.created_at / DAY_S);
      if (day < firstDay) {
        totals.expired += 1;
        continue;
      }
      const ofDay = batch.get(day);
      if (ofDay) ofDay.push(record);
      else batch.set(day, [record]);
      size += 1;
      if (size === BATCH) await flush();
    }
  }
  await flush();
  await store.write((tx) => tx.corpus.clearProgress(source.name));
  return { ...totals, skipped };
}

interface Storing {
  readonly store: Store;
  readonly clock: Clock;
  readonly days: Map<number, KnownIds>;
}

/** Stores the new posts of a batch; returns their number, or undefined if another import stored pages meanwhile. */
async function storeBatch(
  { store, clock, days }: Storing,
  batch: ReadonlyMap<number, readonly CorpusPost[]>,
  { name, done }: { readonly name: string; readonly done: number },
): Promise<number | undefined> {
  const pagesBefore = await loadKnownIds(store, days, [...batch.keys()]);
  const pages: CorpusPage[] = [];
  let added = 0;
  for (const [day, posts] of batch) {
    const fresh = newPosts(posts, days.get(day)!);
    if (fresh.length > 0) pages.push(packPage(day, fresh));
    added += fresh.length;
  }
  const isStored = await store.write(async (tx) => {
    const state = await tx.corpus.lockState(secureRandom.bytes(8).toString('hex'));
    if (state.pages !== pagesBefore) return false;
    if (pages.length > 0) {
      await tx.corpus.addPages(pages);
      await tx.jobs.planNoLaterThan({ kind: KEYWORD_INDEXING, key: '', run_at: formatInstant(clock.now()) });
    }
    await tx.corpus.saveProgress(name, done);
    return true;
  });
  if (!isStored) return undefined;
  for (const { day, ids } of pages) {
    addIds(days.get(day)!, ids);
    days.get(day)!.seen = pagesBefore + pages.length;
  }
  return added;
}

/** Loads the ids of the posts of some days; returns the number of pages in the corpus. */
function loadKnownIds(store: Store, days: Map<number, KnownIds>, wanted: readonly number[]): Promise<number> {
  return store.read(async (tx) => {
    const { pages } = await tx.corpus.findState();
    for (const day of wanted) {
      const known = days.get(day) ?? new KnownIds();
      // The least recently used come first.
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

/** Returns the posts with new ids; of several with the same id, the first. */
function newPosts(posts: readonly CorpusPost[], known: KnownIds): CorpusPost[] {
  const seen = new KnownIds();
  return posts.filter(({ id }) => {
    hashText(id);
    const { low, high } = lastHash;
    if (known.has(low, high) || seen.has(low, high)) return false;
    seen.add(low, high);
    return true;
  });
}

function evictDays(days: Map<number, KnownIds>): void {
  let ids = 0;
  for (const { size } of days.values()) ids += size;
  for (const [day, { size }] of days) {
    if (ids <= CACHED_IDS_MAX) break;
    days.delete(day);
    ids -= size;
  }
}

/** A hash set of the ids of a day's posts: 64-bit hashes, half of the slots empty. */
class KnownIds {
  /** Pages below this number are loaded. */
  seen = 0;
  #size = 0;
  #mask = 1023;
  #slots = new Uint32Array(2 * (this.#mask + 1));

  get size(): number {
    return this.#size;
  }

  has(low: number, high: number): boolean {
    return this.#isFilled(this.#slotOf(low, high || 1));
  }

  add(low: number, high: number): void {
    const slot = this.#slotOf(low, high || 1);
    if (this.#isFilled(slot)) return;
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high || 1;
    this.#size += 1;
    if (this.#size * 2 > this.#mask) this.#grow();
  }

  // Both halves 0 mark an empty slot, so the hash 0 is stored as 1.
  #isFilled(slot: number): boolean {
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }

  /** Finds the slot of an id, or an empty one for it. */
  #slotOf(low: number, high: number): number {
    const slots = this.#slots;
    let at = low & this.#mask;
    while (this.#isFilled(at * 2) && !(slots[at * 2] === low && slots[at * 2 + 1] === high)) at = (at + 1) & this.#mask;
    return at * 2;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Uint32Array(2 * (this.#mask + 1));
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0 && old[at + 1] === 0) continue;
      const slot = this.#slotOf(old[at]!, old[at + 1]!);
      this.#slots[slot] = old[at]!;
      this.#slots[slot + 1] = old[at + 1]!;
    }
  }
}
