import { tokensOf } from '../../base/tokens.ts';
import type { Phrase } from '../../contract/services/keywords.ts';
import { addSaying, forEachPost, noPosts, type PostSet, readTokens, type Segment } from './segment.ts';

/** The terms of posts by number. */
export interface Lexicon {
  /** Every term has a number below. */
  readonly size: number;
  /** The number of a term; -1 when no post says it. */
  find(term: string): number;
  text(term: number): string;
}

/** A phrase by the numbers of its terms: for each of its tokens those that will do. */
export interface KnownPhrase {
  readonly how: Phrase['match'];
  readonly tokens: readonly (readonly number[])[];
}

/** What a token is said by: itself, and of a word its hashtag. */
export function formsOf(token: string): string[] {
  return token.startsWith('#') || token.startsWith('@') ? [token] : [token, `#${token}`];
}

/** A phrase that posts may say; undefined when none can, because it has no words or they are nobody's. */
export function knownPhrase({ match: how, text }: Phrase, lexicon: Lexicon): KnownPhrase | undefined {
  const tokens = tokensOf(text).map((token) =>
    formsOf(token)
      .map((form) => lexicon.find(form))
      .filter((term) => term >= 0),
  );
  return tokens.length === 0 || tokens.some((forms) => forms.length === 0) ? undefined : { how, tokens };
}

/** The posts of a segment that say one of some phrases. */
export function postsSaying(segment: Segment, phrases: readonly KnownPhrase[]): PostSet {
  const set = noPosts(segment);
  for (const { how, tokens } of phrases) {
    if (how === 'alone' || (how === 'in a row' && tokens.length > 1)) addVerified(set, segment, how, tokens);
    else if (tokens.length === 1) addAny(set, segment, tokens[0]!);
    else addAll(set, sayingAll(segment, tokens));
  }
  return set;
}

function addAny(set: PostSet, segment: Segment, forms: readonly number[]): void {
  for (const term of forms) addSaying(set, segment, term);
}

function addAll(set: PostSet, more: PostSet): void {
  for (let word = 0; word < set.length; word++) set[word]! |= more[word]!;
}

/** The posts that say every token, wherever. */
function sayingAll(segment: Segment, tokens: KnownPhrase['tokens']): PostSet {
  const all = noPosts(segment);
  for (const [index, forms] of tokens.entries()) {
    if (index === 0) {
      addAny(all, segment, forms);
      continue;
    }
    const one = noPosts(segment);
    addAny(one, segment, forms);
    for (let word = 0; word < all.length; word++) all[word]! &= one[word]!;
  }
  return all;
}

function addVerified(set: PostSet, segment: Segment, how: Phrase['match'], tokens: KnownPhrase['tokens']): void {
  let said = new Uint32Array(1024);
  forEachPost(sayingAll(segment, tokens), segment.posts, (post) => {
    // A token takes a byte at least.
    const room = segment.starts[post + 1]! - segment.starts[post]!;
    if (room > said.length) said = new Uint32Array(room * 2);
    const count = readTokens(segment, post, said);
    if (how === 'alone' && count !== tokens.length) return;
    if (isInRow(said, count, tokens)) set[post >>> 5]! |= 1 << (post & 31);
  });
}

function isInRow(said: Uint32Array, count: number, tokens: KnownPhrase['tokens']): boolean {
  for (let from = 0; from + tokens.length <= count; from++) {
    let same = 0;
    while (same < tokens.length && tokens[same]!.includes(said[from + same]!)) same += 1;
    if (same === tokens.length) return true;
  }
  return false;
}
