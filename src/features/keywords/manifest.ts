import type { Environment } from '../../contract/declare/account-state.ts';
import type { DerivedFile } from '../../contract/store/derived-files.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { DictionarySize } from './dictionary.ts';
import { NO_POSTS } from './local-posts.ts';

/** The environments of the posts of a segment. */
export type Scope = Environment | 'both';

/** A segment as its builder knows it. */
export interface BuiltSegment {
  /** The name of its file, unique for ever. */
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

/** The terms of a dictionary from a number on, in a file. */
export interface BuiltTerms extends DictionarySize {
  readonly name: string;
  /** The first of them; `terms` and `units` count those before it too. */
  readonly from: number;
}

/** A recorded file of terms. */
export interface TermsEntry extends BuiltTerms {
  readonly file: DerivedFile;
}

/**
 * The state of the index: one row of the database, replaced in the unit of work that ends the job that has built the files.
 * @source decision 815
 */
export interface Manifest {
  /** How texts became tokens; absent from the first kind. */
  readonly analyser?: number;
  /** The corpus of the index. */
  readonly mark: string;
  /** The dictionary: as long as this is the same, terms are only added to it. */
  readonly edition: string;
  /** All pages with a smaller number are indexed. */
  readonly pages: number;
  /** The position of the last indexed local post. */
  readonly localPosts: Readonly<Record<Environment, PostPosition>>;
  readonly segments: readonly SegmentEntry[];
  /** The files of the dictionary, by their first term, without gaps. */
  readonly terms: readonly TermsEntry[];
}

/** The version of the tokens of `src/base/tokens.ts`: an index with another one is built anew. @source decision 1163 */
export const ANALYSER = 2;

/** The manifest of an empty index. */
export function emptyManifest(mark: string, edition: string): Manifest {
  return {
    analyser: ANALYSER,
    mark,
    edition,
    pages: 0,
    localPosts: { production: NO_POSTS, sandbox: NO_POSTS },
    segments: [],
    terms: [],
  };
}

/** All files of an index. */
export function filesOf({ segments, terms }: Manifest): readonly DerivedFile[] {
  return [...terms, ...segments].map(({ file }) => file);
}

/** A stored manifest. */
export function parseManifest(text: string): Manifest {
  return JSON.parse(text) as Manifest;
}
