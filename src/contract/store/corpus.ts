/** A post as it is searched. */
export interface CorpusPost {
  /** What tells it from other posts of its day. */
  readonly id: string;
  readonly text: string;
  /** In whole seconds since 1970. */
  readonly created_at: number;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  readonly country: string | null;
  /** A code, `und` when it is not known. */
  readonly language: string;
  /** Decimal text; null when it is not known. */
  readonly user_id: string | null;
}

/** Imported posts of one day (UTC), packed: `src/features/keywords/post-page.ts` says how. Pages never change. */
export interface CorpusPage {
  /** Days since 1970. */
  readonly day: number;
  readonly posts: number;
  /** 8 bytes of the hash of each id. */
  readonly ids: Uint8Array;
  readonly payload: Uint8Array;
}

/** A page as it is kept; numbers grow in the order in which pages were stored. */
export type NumberedPage = Pick<CorpusPage, 'day' | 'posts' | 'payload'> & { readonly number: number };

/** What the corpus is at. */
export interface CorpusState {
  /** Every page that there is has a number below. */
  readonly pages: number;
  /** Unlike that of any other corpus; empty before the first page is stored or indexed. */
  readonly mark: string;
}

/** The imported posts, as they are kept: with the posts made here, the truth from which the index is made. */
export interface Corpus {
  findState(): Promise<CorpusState>;
  /** The state, which other units wait for that ask so; a corpus without one gets this mark. */
  lockState(mark: string): Promise<CorpusState>;
  /** The ids of the pages of a day whose number is at least so high, one buffer a page. */
  listIds(day: number, from: number): Promise<Uint8Array[]>;
  /** Pages from a number on, by number, so many as have about these bytes, one at least. */
  listPages(from: number, bytes_max: number): Promise<NumberedPage[]>;
  /** Stores pages in a unit that has locked the state. */
  addPages(pages: readonly CorpusPage[]): Promise<void>;
  /** Removes pages of days before one, so many at most; the answer is how many. */
  removeBefore(day: number, limit: number): Promise<number>;
  /** How far an import had come that was not finished; 0 when there is none. */
  findProgress(source: string): Promise<number>;
  saveProgress(source: string, done: number): Promise<void>;
  clearProgress(source: string): Promise<void>;
}
