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

/** The state of the corpus. */
export interface CorpusState {
  /** Every stored page has a lower number. */
  readonly pages: number;
  /** Unique to this corpus; empty before the first page is stored or indexed. */
  readonly mark: string;
  /** Grows with each change of the index; 0 before there is one. */
  readonly revision: number;
}
