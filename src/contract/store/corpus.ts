/** A post, as far as search needs it. */
export interface CorpusPost {
  /** Unique among the posts of its day. */
  readonly id: string;
  readonly text: string;
  /** In whole seconds since 1970. */
  readonly created_at: number;
  /** ISO 3166-1 alpha-2; null when unknown. */
  readonly country: string | null;
  /** A language code, `und` when unknown. */
  readonly language: string;
  /** Decimal text; null when unknown. */
  readonly user_id: string | null;
}

/** Imported posts of one day (UTC), packed as in `src/features/keywords/post-page.ts`. Pages are immutable. */
export interface CorpusPage {
  /** Days since 1970. */
  readonly day: number;
  readonly posts: number;
  /** 8 bytes of the hash of each id. */
  readonly ids: Uint8Array;
  readonly payload: Uint8Array;
}

/** A stored page; numbers grow in the order in which pages were stored. */
export type NumberedPage = Pick<CorpusPage, 'day' | 'posts' | 'payload'> & { readonly number: number };

/** The state of the corpus. */
export interface CorpusState {
  /** Every stored page has a lower number. */
  readonly pages: number;
  /** Unique to this corpus; empty before the first page is stored or indexed. */
  readonly mark: string;
  /** Grows with each change of the index; 0 before there is one. */
  readonly revision: number;
}

/** The manifest of the index of posts. */
export interface StoredIndex {
  readonly revision: number;
  /** JSON text, see `src/features/keywords/manifest.ts`. */
  readonly manifest: string;
}

/** The stored imported posts: together with local posts, the source of truth for the index. */
export interface Corpus {
  findState(): Promise<CorpusState>;
  /** Reads and locks the state until the unit ends; a corpus without a mark gets this one. */
  lockState(mark: string): Promise<Omit<CorpusState, 'revision'>>;
  /** The ids in the pages of a day, from the page with this number on; one buffer per page. */
  listIds(day: number, from: number): Promise<Uint8Array[]>;
  /** Pages from a number on, in order: about `bytes_max` bytes of them, but at least one. */
  listPages(from: number, bytes_max: number): Promise<NumberedPage[]>;
  /** Stores pages, in a unit that has locked the state. */
  addPages(pages: readonly CorpusPage[]): Promise<void>;
  /** Removes at most `limit` pages of days before `day`; returns how many. */
  removeBefore(day: number, limit: number): Promise<number>;
  /** Progress of an unfinished import; 0 when there is none. */
  findProgress(source: string): Promise<number>;
  saveProgress(source: string, done: number): Promise<void>;
  clearProgress(source: string): Promise<void>;
  /** The index; undefined before there is one. */
  findIndex(): Promise<StoredIndex | undefined>;
  /** Replaces the manifest, and increases the revision; false when it is no longer the former one (0: none). */
  replaceIndex(former: number, manifest: string): Promise<boolean>;
}
