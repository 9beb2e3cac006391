import type { Environment } from '../../contract/declare/account-state.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { DictionarySize } from './dictionary.ts';
import { BEFORE_ALL_POSTS } from './local-posts.ts';

/** The environments of the posts of a segment. */
export type Scope = Environment | 'both';

/** A segment as its builder knows it. */
export interface BuiltSegment {
  /** The name of its file, which is never reused. */
  readonly name: string;
  readonly scope: Scope;
  /** Days since 1970. */
  readonly day: number;
  readonly posts: number;
}

/** A recorded segment. */
export interface SegmentEntry extends BuiltSegment {
  readonly file: DerivedFile;
}

/** A file with the terms of a dictionary from `from` on. */
export interface BuiltTerms extends DictionarySize {
  readonly name: string;
  /** The first term in the file; `terms` and `units` also count the terms before it. */
  readonly from: number;
}

/** A recorded file of terms. */
export interface TermsEntry extends BuiltTerms {
  readonly file: DerivedFile;
}

/**
 * The state of the index: one database row, replaced in the transaction that ends the job that built the files.
 * @source decision 815
 */
export interface Manifest {
  /** The version of the tokenizer; absent in the first version. */
  readonly analyser?: number;
  /** Identifies the corpus. */
  readonly mark: string;
  /** The generation of the dictionary, within which terms are only added. */
  readonly edition: string;
  /** All pages with a smaller number are indexed. */
  readonly pages: number;
  /** The position of the last indexed local post. */
  readonly localPosts: Readonly<Record<Environment, PostPosition>>;
  readonly segments: readonly SegmentEntry[];
  /** The files of the dictionary, by their first term, without gaps. */
  readonly terms: readonly TermsEntry[];
}

/** The version of the tokenizer `src/base/tokens.ts`; an index of another version is rebuilt. @source decision 1163 */
export const ANALYSER = 2;

/** Builds the manifest of an empty index. */
export function emptyManifest(mark: string, edition: string): Manifest {
  return {
    analyser: ANALYSER,
    mark,
    edition,
    pages: 0,
    localPosts: { production: BEFORE_ALL_POSTS, sandbox: BEFORE_ALL_POSTS },
    segments: [],
    terms: [],
  };
}

/** Returns all files of an index. */
export function filesOf({ segments, terms }: Manifest): readonly DerivedFile[] {
  return [...terms, ...segments].map(({ file }) => file);
}

/** Parses a stored manifest. */
export function parseManifest(text: string): Manifest {
  return JSON.parse(text) as Manifest;
}
