import { tokensOf } from '../../base/tokens.ts';
import type { Phrase } from '../../contract/services/keywords.ts';
import { addPostsWithTerm, emptyPostSet, forEachPost, type PostSet, readTokens, type Segment } from './segment.ts';

/** The terms of posts and their numbers. */
export interface Lexicon {
  /** All numbers are below it. */
  readonly size: number;
  /** The number of a term; -1 when unknown. */
  find(term: string): number;
  text(term: number): string;
}

/** A phrase as term numbers: for each token, the terms that match it. */
export interface ResolvedPhrase {
  readonly match: Phrase['match'];
  readonly tokens: readonly (readonly number[])[];
}

/** The terms that match a token: itself, and for a word its hashtag. @source decision 306 */
export function tokenForms(token: string): string[] {
  return token.startsWith('#') || token.startsWith('@') ? [token] : [token, `#${token}`];
}

/** Resolves a phrase; undefined when no post can contain it, because it has no tokens or unknown ones. */
export function resolvePhrase({ match, text }: Phrase, lexicon: Lexicon): ResolvedPhrase | undefined {
  const tokens = tokensOf(text).map((token) =>
    tokenForms(token)
      .map((form) => lexicon.find(form))
      .filter((term) => term >= 0),
  );
  return tokens.length === 0 || tokens.some((forms) => forms.length === 0) ? undefined : { match, tokens };
}

/** The posts of a segment that contain at least one of the phrases. @source decision 320 */
export function findPosts(segment: Segment, phrases: readonly ResolvedPhrase[]): PostSet {
  const set = emptyPostSet(segment);
  for (const { match, tokens } of phrases) {
    if (match === 'alone' || (match === 'in a row' && tokens.length > 1)) addVerified(set, segment, match, tokens);
    else if (tokens.length === 1) addAny(set, segment, tokens[0]!);
    else addAll(set, postsWithAllTokens(segment, tokens));
  }
  return set;
}

function addAny(set: PostSet, segment: Segment, forms: readonly number[]): void {
  for (const term of forms) addPostsWithTerm(set, segment, term);
}

function addAll(set: PostSet, more: PostSet): void {
  for (let word = 0; word < set.length; word++) set[word]! |= more[word]!;
}

/** The posts that contain every token, in any order. */
function postsWithAllTokens(segment: Segment, tokens: ResolvedPhrase['tokens']): PostSet {
  const all = emptyPostSet(segment);
  for (const [index, forms] of tokens.entries()) {
    if (index === 0) {
      addAny(all, segment, forms);
      continue;
    }
    const one = emptyPostSet(segment);
    addAny(one, segment, forms);
    for (let word = 0; word < all.length; word++) all[word]! &= one[word]!;
  }
  return all;
}

function addVerified(set: PostSet, segment: Segment, match: Phrase['match'], tokens: ResolvedPhrase['tokens']): void {
  let terms = new Uint32Array(1024);
  forEachPost(postsWithAllTokens(segment, tokens), segment.posts, (post) => {
    // A token takes at least one byte.
    const room = segment.starts[post + 1]! - segment.starts[post]!;
    if (room > terms.length) terms = new Uint32Array(room * 2);
    const count = readTokens(segment, post, terms);
    if (match === 'alone' && count !== tokens.length) return;
    if (hasPhrase(terms, count, tokens)) set[post >>> 5]! |= 1 << (post & 31);
  });
}

function hasPhrase(terms: Uint32Array, count: number, tokens: ResolvedPhrase['tokens']): boolean {
  for (let from = 0; from + tokens.length <= count; from++) {
    let same = 0;
    while (same < tokens.length && tokens[same]!.includes(terms[from + same]!)) same += 1;
    if (same === tokens.length) return true;
  }
  return false;
}
