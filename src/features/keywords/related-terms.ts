import { tokensOf } from '../../base/tokens.ts';
import { type Lexicon, tokenForms } from './phrase-search.ts';
import { type MatchedPosts, type PostFilter, passesFilter } from './post-filter.ts';
import { DAY_S, languageCode } from './post-page.ts';
import { forEachPost, readTokens, type Segment } from './segment.ts';
import { stopWords } from './stop-words.ts';

/** The input of a search for related terms. */
export interface RelatedQuestion {
  /** Posts with the keywords that pass the filter. */
  readonly matched: readonly MatchedPosts[];
  /** Their number. */
  readonly count: number;
  readonly frame: PostFilter;
  readonly lexicon: Lexicon;
  /** Texts whose tokens are excluded. */
  readonly without: readonly string[];
  readonly max: number;
}

/** Sample sizes of posts with the keywords and of all posts; samples are deterministic. @source decision 314 */
const MATCHED_MAX = 10_000;
const BACKGROUND_MAX = 100_000;
const HOUR_S = 3600;
/** The most cached background samples, of 4 bytes a term each. */
const SAMPLES_MAX = 8;
/** Up to this many tokens a linear scan is faster than a table. */
const SHORT_POST_TOKENS = 40;
/**
 * The value that one in a hundred exceeds by chance in the chi-squared distribution with one degree of freedom.
 * @source Dunning 1993; decision 316
 */
const SIGNIFICANT = 6.63;
const POSTS_MIN = 2;
/** Terms in fewer posts come last. */
const RARE_POSTS = 3;
/** Larger than any score. */
const RARE_PENALTY = 1e9;
/** How much more frequent a term must be with the keywords than overall. */
const LIFT_MIN = 2;
/** From this share of the posts on, the stop words of a language are excluded. */
const LANGUAGE_SHARE = 0.05;

/** Document frequencies of a sample. */
interface Counts {
  posts: number;
  readonly terms: Uint32Array;
  /** By number. */
  readonly languages: Uint32Array;
}

/** A cache of background samples by segments and filter; they do not depend on the keywords. */
export type SampleCache = Map<string, Counts>;

/**
 * The terms that are more frequent in posts with the keywords than in all posts of the same hours and country, by the
 * log-likelihood ratio. A post counts each term once; a duplicate text does not count. Samples are taken by the hash of
 * ids, so that the same posts give the same terms, however they are stored.
 * @source Dunning 1993; Rayson 2000; decision 313, 315
 */
export function relatedTerms(question: RelatedQuestion, remembered: SampleCache): string[] {
  const { lexicon, matched, count, max, frame } = question;
  if (count === 0 || max === 0) return [];
  const inside = emptyCounts(lexicon.size);
  const scratch = new Uint32Array(lexicon.size);
  const insideBelow = hashLimit(MATCHED_MAX, count);
  const texts = new Set<number>();
  for (const { segment, posts } of matched) {
    forEachPost(posts, countBelow(segment, insideBelow), (post) => {
      const text = textHash(segment, post);
      if (texts.has(text)) return;
      texts.add(text);
      countPost(segment, post, inside, scratch);
    });
  }
  const around: PostFilter = {
    from: Math.floor(frame.from / HOUR_S) * HOUR_S,
    to: Math.ceil(frame.to / HOUR_S) * HOUR_S,
    country: frame.country,
  };
  const segments = matched.map(({ segment }) => segment);
  const below = 2 ** Math.floor(Math.log2(hashLimit(BACKGROUND_MAX, estimatePosts(segments, around))));
  const all = countBackground(segments, around, below, lexicon.size, remembered);
  return rankTerms(inside, all, question, max);
}

/** The hash below which about `wanted` of all posts are. */
function hashLimit(wanted: number, all: number): number {
  return all <= wanted ? 2 ** 32 : Math.floor((2 ** 32 * wanted) / all);
}

/** Estimates the number of posts that pass a filter, in proportion to its share of their days. */
function estimatePosts(segments: readonly Segment[], { from, to, country }: PostFilter): number {
  let posts = 0;
  for (const segment of segments) posts += country === 0 ? segment.posts : segment.postsOf(country);
  const days = Math.ceil(to / DAY_S) - Math.floor(from / DAY_S);
  return posts * ((to - from) / (days * DAY_S));
}

/** The number of posts of a segment with a hash below a limit; they are sorted by it. */
function countBelow({ hashes }: Segment, limit: number): number {
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Document frequencies of the posts that pass a filter and have a hash below a limit. */
function countBackground(
  segments: readonly Segment[],
  frame: PostFilter,
  below: number,
  terms: number,
  remembered: SampleCache,
): Counts {
  const kept = segments.filter(({ path }) => path !== '');
  const key = [frame.from, frame.to, frame.country, below, ...kept.map(({ path }) => path)].join();
  const scratch = new Uint32Array(terms);
  const count = (some: readonly Segment[], into: Counts): void => {
    for (const segment of some) {
      const end = countBelow(segment, below);
      for (let post = 0; post < end; post++) {
        if (passesFilter(segment, post, frame)) countPost(segment, post, into, scratch);
      }
    }
  };
  let known = remembered.get(key);
  if (!known) {
    known = emptyCounts(terms);
    count(kept, known);
  }
  remembered.delete(key);
  remembered.set(key, known);
  for (const oldest of remembered.keys()) if (remembered.size > SAMPLES_MAX) remembered.delete(oldest);
  if (kept.length === segments.length) return known;
  // Posts outside the index are not cached: they change.
  const all = emptyCounts(terms);
  all.posts = known.posts;
  all.terms.set(known.terms.subarray(0, terms));
  all.languages.set(known.languages);
  count(
    segments.filter(({ path }) => path === ''),
    all,
  );
  return all;
}

function emptyCounts(terms: number): Counts {
  return { posts: 0, terms: new Uint32Array(terms), languages: new Uint32Array(1024) };
}

/** A 32-bit hash of the tokens of a post. */
function textHash({ words, starts }: Segment, post: number): number {
  let hash = 0x811c9dc5 | 0;
  const end = starts[post + 1]!;
  for (let at = starts[post]!; at < end; at++) hash = Math.imul(hash ^ words[at]!, 0x01000193) ^ (hash >>> 15);
  return hash;
}

let tokenBuffer = new Uint32Array(1024);

/** Counts each distinct term of a post. @param scratch zeros, by term; zero again on return */
function countPost(segment: Segment, post: number, into: Counts, scratch: Uint32Array): void {
  const room = segment.starts[post + 1]! - segment.starts[post]!;
  if (room > tokenBuffer.length) tokenBuffer = new Uint32Array(room * 2);
  const length = readTokens(segment, post, tokenBuffer);
  into.posts += 1;
  into.languages[segment.languages[post]!]! += 1;
  const { terms } = into;
  if (length <= SHORT_POST_TOKENS) {
    // A linear scan is faster than a large table.
    for (let at = 0; at < length; at++) {
      const term = tokenBuffer[at]!;
      let before = 0;
      while (tokenBuffer[before] !== term) before += 1;
      if (before === at) terms[term]! += 1;
    }
    return;
  }
  for (let at = 0; at < length; at++) {
    const term = tokenBuffer[at]!;
    if (scratch[term]! === 0) terms[term]! += 1;
    scratch[term] = 1;
  }
  for (let at = 0; at < length; at++) scratch[tokenBuffer[at]!] = 0;
}

function rankTerms(inside: Counts, all: Counts, { lexicon, without }: RelatedQuestion, max: number): string[] {
  const scored: { readonly term: number; readonly score: number }[] = [];
  for (let term = 0; term < inside.terms.length; term++) {
    const a = inside.terms[term]!;
    if (a < POSTS_MIN) continue;
    // A cached sample does not have newer terms.
    const b = all.terms[term] ?? 0;
    if (a * all.posts < LIFT_MIN * b * inside.posts) continue;
    const score = likelihoodRatio(a, inside.posts, b, all.posts);
    if (score >= SIGNIFICANT) scored.push({ term, score: a < RARE_POSTS ? score - RARE_PENALTY : score });
  }
  scored.sort((left, right) => right.score - left.score);
  const left = new Set(without.flatMap(tokensOf).flatMap(tokenForms));
  const stops = stopWordsOf(inside);
  const found: { readonly text: string; readonly score: number }[] = [];
  for (const { term, score } of scored) {
    // Ties are ordered by text: term numbers depend on the order of indexing.
    if (found.length >= max && score < found[max - 1]!.score) break;
    const text = lexicon.text(term);
    if (!left.has(text) && isTerm(text) && !stops.some((words) => words.has(text))) found.push({ text, score });
  }
  return found
    .sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .slice(0, max)
    .map(({ text }) => text);
}

/** The log-likelihood ratio of two proportions: `a` of `all` and `b` of `others`. */
function likelihoodRatio(a: number, all: number, b: number, others: number): number {
  const share = (a + b) / (all + others);
  const of = (seen: number, expected: number): number => (seen === 0 ? 0 : seen * Math.log(seen / expected));
  return (
    2 *
    (of(a, all * share) + of(b, others * share) + of(all - a, all * (1 - share)) + of(others - b, others * (1 - share)))
  );
}

function stopWordsOf({ posts, languages }: Counts): readonly ReadonlySet<string>[] {
  const found: ReadonlySet<string>[] = [];
  for (let language = 0; language < languages.length; language++) {
    if (languages[language]! < posts * LANGUAGE_SHARE) continue;
    found.push(...stopWords(language === 0 ? undefined : languageCode(language)));
  }
  return [...new Set(found)];
}

/** Words and hashtags; no handles, emoji, numbers or single letters, except Chinese characters. @source decision 313 */
function isTerm(text: string): boolean {
  return /^\p{Script=Han}$|^(?!@)(?!#?[\p{N}_]+$).*[\p{L}\p{M}\p{N}_].*[\p{L}\p{M}\p{N}_]/u.test(text);
}
