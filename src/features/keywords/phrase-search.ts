import { tokensOf } from '../../base/tokens.ts';
import { type ExtensibleSides, extensibleSides, isTag, isTokenOf } from '../../base/words.ts';
import type { Phrase } from '../../contract/services/keywords.ts';
import { addPostsWithTerm, emptyPostSet, forEachEncodedText, type PostSet, type Segment } from './segment.ts';

/** Maps the terms of posts to numbers and back. */
export interface Lexicon {
  /** The exclusive upper bound of the numbers. */
  readonly size: number;
  /** Returns the number of a term; -1 if unknown. */
  find(term: string): number;
  text(term: number): string;
  /** Returns the terms that may contain a word. */
  having(word: string): readonly number[];
}

/** A phrase as term numbers: for each token, the terms that match it. */
export interface ResolvedPhrase {
  readonly match: Phrase['match'];
  readonly tokens: readonly ReadonlySet<number>[];
}

/** Resolves a phrase; undefined if it has no tokens or unknown ones, so that no post can contain it. */
export function resolvePhrase({ match, text }: Phrase, lexicon: Lexicon): ResolvedPhrase | undefined {
  const tokens = tokensOf(text).map((token, at, { length }) =>
    termsOf(token, extensibleSides(match, at, length), lexicon),
  );
  return tokens.length === 0 || tokens.some(({ size }) => size === 0) ? undefined : { match, tokens };
}

/** The terms that match a token. */
function termsOf(token: string, beside: ExtensibleSides, lexicon: Lexicon): Set<number> {
  const itself = (isTag(token) ? [token] : [token, `#${token}`]).map((form) => lexicon.find(form));
  const longer = lexicon.having(token).filter((term) => isTokenOf(lexicon.text(term), token, beside));
  return new Set([...itself.filter((term) => term >= 0), ...longer]);
}

/** Finds the posts of a segment that contain at least one of the phrases. @source decision 320 */
export function findPosts(segment: Segment, phrases: readonly ResolvedPhrase[]): PostSet {
  const set = emptyPostSet(segment);
  // Queries often have a word and phrases with it; posts with the word need not be read again.
  const [read, unread] = [true, false].map((isRead) => phrases.filter((phrase) => needsReading(phrase) === isRead));
  for (const { tokens } of unread!) {
    if (tokens.length === 1) addAny(set, segment, tokens[0]!);
    else addAll(set, postsWithAllTokens(segment, tokens));
  }
  for (const { match, tokens } of read!) addVerified(set, segment, match, tokens);
  return set;
}

/** Whether the order or number of words matters, so that texts must be read. */
function needsReading({ match, tokens }: ResolvedPhrase): boolean {
  return match === 'alone' || (match === 'in a row' && tokens.length > 1);
}

function addAny(set: PostSet, segment: Segment, forms: ReadonlySet<number>): void {
  for (const term of forms) addPostsWithTerm(set, segment, term);
}

function addAll(set: PostSet, more: PostSet): void {
  for (let word = 0; word < set.length; word++) set[word]! |= more[word]!;
}

/** Finds the posts that contain every token, in any order. */
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
  const candidates = postsWithAllTokens(segment, tokens);
  for (let word = 0; word < candidates.length; word++) candidates[word]! &= ~set[word]!;
  forEachEncodedText(segment, candidates, segment.posts, (post, words, from, end) => {
    const isFound =
      match === 'alone' ? endOfPhrase(words, from, end, tokens) === end : hasPhrase(words, from, end, tokens);
    if (isFound) set[post >>> 5]! |= 1 << (post & 31);
  });
}

/** Whether an encoded text contains the tokens in sequence. */
function hasPhrase(words: Uint8Array, from: number, end: number, tokens: ResolvedPhrase['tokens']): boolean {
  const first = tokens[0]!;
  const [form, other = form] = first;
  const isLong = first.size > 2;
  for (let at = from; at < end; ) {
    const start = at;
    let byte = words[at++]!;
    let term = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = words[at++]!;
      term |= (byte & 127) << shift;
    }
    if ((term === form || term === other || (isLong && first.has(term))) && endOfPhrase(words, start, end, tokens) >= 0)
      return true;
  }
  return false;
}

/** Returns where the tokens end that start at `from` in an encoded text; -1 if other tokens are there. */
function endOfPhrase(words: Uint8Array, from: number, end: number, tokens: ResolvedPhrase['tokens']): number {
  let at = from;
  for (const forms of tokens) {
    if (at >= end) return -1;
    let byte = words[at++]!;
    let term = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = words[at++]!;
      term |= (byte & 127) << shift;
    }
    if (!forms.has(term)) return -1;
  }
  return at;
}
