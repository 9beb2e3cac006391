import type { Environment } from '../declare/resource.ts';

/** What is counted together: whole days or whole hours, from the start of a question on. */
export const GRANULARITY_S = { DAY: 86_400, HOUR: 3600 } as const;

/** How long the buckets of a question are. */
export type Granularity = keyof typeof GRANULARITY_S;

/** What posts are asked for. Times are whole seconds since 1970. */
export interface KeywordQuery {
  readonly environment: Environment;
  /** A post is meant that says one of these, and none of the others; several words are said in a row. */
  readonly keywords: readonly string[];
  readonly negatives: readonly string[];
  /** From one time (inclusive) to another (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly bucket_s: number;
  /** ISO 3166-1 alpha-2; posts of whichever place, known or not, when undefined. */
  readonly country: string | undefined;
  /** How many related terms are wanted at most. */
  readonly related_max: number;
}

/** What posts say of keywords. */
export interface KeywordStats {
  /** How many posts are meant, bucket by bucket; the last may be shorter. */
  readonly volume: readonly number[];
  /** What those posts say more often than others of the same time and country, the clearest first. */
  readonly related: readonly string[];
}

/** What posts are looked through for: words in any order, words in a row, or words and no other. */
export interface Phrase {
  readonly match: 'anywhere' | 'in a row' | 'alone';
  readonly text: string;
}

/** The posts of the platform, searched by what they say. Imported ones are of both environments, others of their own. */
export interface Keywords {
  /**
   * Counts the posts that say keywords, and what else they say. Whatever was stored before the call is searched.
   * @throws UNAVAILABLE when much is yet to be indexed
   */
  search(question: KeywordQuery): Promise<KeywordStats>;
  /**
   * The users with a post that says one of some phrases, for each group of phrases: their ids, ascending.
   * @throws UNAVAILABLE as above
   */
  authorsOf(environment: Environment, groups: readonly (readonly Phrase[])[]): Promise<BigUint64Array[]>;
  /** Indexes some of what was stored, and forgets what is too old; false when nothing is left to do. */
  indexNext(): Promise<boolean>;
  close(): Promise<void>;
}

/** The kind of jobs that index posts. @source own */
export const KEYWORD_INDEXING = 'keyword_indexing';
