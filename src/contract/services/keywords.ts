import type { PhraseMatch } from '../../base/words.ts';
import type { Environment } from '../declare/account-state.ts';

/** Length of a bucket in seconds. Buckets are aligned to the start of the query. */
export const GRANULARITY_S = { DAY: 86_400, HOUR: 3600 } as const;

/** The bucket length of a query. */
export type Granularity = keyof typeof GRANULARITY_S;

/** A keyword query. Times are whole seconds since 1970. */
export interface KeywordQuery {
  readonly environment: Environment;
  /** Counts posts that contain any keyword and no negative; several words match as a phrase. */
  readonly keywords: readonly string[];
  readonly negatives: readonly string[];
  /** `from` is inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly bucket_s: number;
  /** ISO 3166-1 alpha-2; undefined matches posts from anywhere, known or not. */
  readonly country: string | undefined;
  /** Maximum number of related terms. */
  readonly related_max: number;
}

/** The result of a keyword query. */
export interface KeywordStats {
  /** Number of matching posts per bucket; the last bucket may be shorter. */
  readonly volume: readonly number[];
  /** Terms more frequent in those posts than in others of the same time and country, most distinctive first. */
  readonly related: readonly string[];
}

/** A search phrase: its words in any order, in a row, or as the only words of a post. */
export interface Phrase {
  readonly match: PhraseMatch;
  readonly text: string;
}

/** Keyword search over posts. Imported posts belong to both environments, local ones to their own. */
export interface Keywords {
  /**
   * Counts posts that contain keywords, and finds related terms, in everything stored before the call.
   * @throws UNAVAILABLE when much is still to be indexed
   */
  search(question: KeywordQuery): Promise<KeywordStats>;
  /**
   * For each group of phrases, the users with a post that matches at least one of them: ids, ascending.
   * @throws UNAVAILABLE as above
   */
  authorsOf(environment: Environment, groups: readonly (readonly Phrase[])[]): Promise<BigUint64Array[]>;
  /** Builds a next part of the index, which its job then records. @throws StoreUnavailable */
  build(signal: AbortSignal): Promise<IndexStep>;
  /** Reads the whole index; if it is damaged, the step begins an empty one. @throws StoreUnavailable */
  check(): Promise<IndexStep>;
  /** Brings the copies on this machine in line with the index, in the background. */
  refresh(): void;
  close(): Promise<void>;
}

/** The result of a step, invisible until it is recorded. */
export interface IndexStep {
  /** Undefined when there was nothing to do. */
  readonly change: IndexChange | undefined;
  /** Earlier days have expired; days since 1970. */
  readonly firstDay: number;
}

/** A change of the index. */
export interface IndexChange {
  /** The revision that it begins from; 0 for none. */
  readonly former: number;
  /** JSON text, see `src/features/keywords/manifest.ts`. */
  readonly manifest: string;
  /** The keys of objects that it uses, and of those that it uses no more. */
  readonly added: readonly string[];
  readonly replaced: readonly string[];
}

/** Job kind that indexes posts. @source own */
export const KEYWORD_INDEXING = 'keyword_indexing';
/** The keys of its jobs: one builds the index, the other checks it because a node found a file missing or damaged. */
export const INDEXING_JOBS = { build: '', check: 'check' } as const;
