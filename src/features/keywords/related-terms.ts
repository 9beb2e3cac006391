import { UNSPACED_SCRIPTS } from '../../base/scripts.ts';
import { tokensOf } from '../../base/tokens.ts';
import { isTokenOf } from '../../base/words.ts';
import type { Lexicon } from './phrase-search.ts';
import { DAY_S, HOUR_S, languageCode } from './post-page.ts';
import { IndexedTexts, SampleTexts } from './sample-texts.ts';
import { filterPosts, forEachText, type MatchedPosts, type PostFilter, type Segment } from './segment.ts';
import { stopWords } from './stop-words.ts';
import { countTerms } from './term-counts.ts';

/** The input of a search for related terms. */
interface RelatedQuery {
  /** Posts with the keywords that pass the filter. */
  readonly matched: readonly MatchedPosts[];
  /** Their number. */
  readonly count: number;
  readonly filter: PostFilter;
  readonly lexicon: Lexicon;
  /** Texts whose tokens are excluded. */
  readonly without: readonly string[];
  readonly max: number;
}

/** Sample sizes of posts with the keywords and of all posts; samples are deterministic. @source decision 314 */
const MATCHED_MAX = 10_000;
const BACKGROUND_MAX = 100_000;
/** Maximum number of cached background samples, of about 20 MB each. */
const SAMPLES_MAX = 8;
/** Hashes to read around the expected position of a limit; hashes are uniformly distributed. */
const HASHES_READ = 4096;
/**
 * The critical value of the chi-squared distribution with one degree of freedom at p = 0.01.
 * @source Dunning 1993; decision 316
 */
const SIGNIFICANT = 6.63;
/** Terms in fewer posts are ranked last. */
const RARE_POSTS = 3;
/** Larger than any score. */
const RARE_PENALTY = 1e9;
/** Minimum ratio of the frequency of a term with the keywords to its overall frequency. */
const LIFT_MIN = 2;
/** The stop words of languages with at least this share of the posts are excluded. */
const LANGUAGE_SHARE = 0.05;

/** Matches a word also within a longer token. */
const ANYWHERE = { before: true, behind: true };

/** A cache of background samples by segments and filter; they do not depend on the keywords. */
export type SampleCache = Map<string, IndexedTexts>;

/**
 * Returns the terms (words, or pairs of adjacent words) that are more frequent in posts with the keywords than in all posts
 * of the same hours and country, ranked by log-likelihood ratio. A post counts each term once; duplicate texts are ignored.
 * Samples are taken by the hash of ids, so that the result does not depend on how posts are stored.
 * @source Dunning 1993; Rayson 2000; decision 313, 315, 1033
 */
export function relatedTerms(query: RelatedQuery, cache: SampleCache): string[] {
  const { matched, count, max, filter } = query;
  if (count === 0 || max === 0) return [];
  const inside = new SampleTexts();
  const insideBelow = hashLimit(MATCHED_MAX, count);
  const seen = new Set<number>();
  for (const { segment, posts } of matched) {
    const below = countBelow(segment, insideBelow);
    const languages = segment.part('languages', 0, below);
    forEachText(segment, posts, below, (post, terms, length) => {
      const text = hashTerms(terms, length);
      if (seen.has(text)) return;
      seen.add(text);
      inside.add(terms, length, languages[post]!);
    });
  }
  const around: PostFilter = {
    from: Math.floor(filter.from / HOUR_S) * HOUR_S,
    to: Math.ceil(filter.to / HOUR_S) * HOUR_S,
    country: filter.country,
  };
  const segments = matched.map(({ segment }) => segment);
  const below = 2 ** Math.floor(Math.log2(hashLimit(BACKGROUND_MAX, estimatePosts(segments, around))));
  return rankTerms(inside, sampleAround(segments, around, below, cache), query);
}

/** Returns the hash below which about `wanted` of all posts lie. */
function hashLimit(wanted: number, all: number): number {
  return all <= wanted ? 2 ** 32 : Math.floor((2 ** 32 * wanted) / all);
}

/** Estimates the number of posts that pass a filter, in proportion to its share of their days. */
function estimatePosts(segments: readonly Segment[], { from, to, country }: PostFilter): number {
  let posts = 0;
  for (const segment of segments) posts += country === 0 ? segment.posts : segment.countPostsFrom(country);
  const days = Math.ceil(to / DAY_S) - Math.floor(from / DAY_S);
  return posts * ((to - from) / (days * DAY_S));
}

/** Counts the posts of a segment with a hash below a limit; posts are sorted by hash. */
function countBelow(segment: Segment, limit: number): number {
  const expected = Math.floor(segment.posts * (limit / 2 ** 32));
  let from = Math.max(0, expected - HASHES_READ / 2);
  const to = Math.min(segment.posts, from + HASHES_READ);
  let hashes = segment.part('hashes', from, to);
  const isBefore = from > 0 && hashes[0]! >= limit;
  const isAfter = to < segment.posts && hashes.at(-1)! < limit;
  if (isBefore || isAfter) {
    from = 0;
    hashes = segment.column('hashes');
  }
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return from + low;
}

/** Returns the texts of the posts that pass a filter and have a hash below a limit. */
function sampleAround(
  segments: readonly Segment[],
  filter: PostFilter,
  below: number,
  cache: SampleCache,
): IndexedTexts[] {
  const [stored, others] = [true, false].map((isStored) => segments.filter(({ path }) => (path !== '') === isStored));
  const key = [filter.from, filter.to, filter.country, below, ...stored!.map(({ path }) => path)].join();
  const known = cache.get(key) ?? readSample(stored!, filter, below);
  cache.delete(key);
  cache.set(key, known);
  for (const oldest of cache.keys()) if (cache.size > SAMPLES_MAX) cache.delete(oldest);
  // Posts outside the index are not cached: they change.
  return others!.length === 0 ? [known] : [known, readSample(others!, filter, below)];
}

function readSample(segments: readonly Segment[], filter: PostFilter, below: number): IndexedTexts {
  const texts = new SampleTexts();
  for (const segment of segments) {
    const end = countBelow(segment, below);
    const languages = segment.part('languages', 0, end);
    const passing = filterPosts(segment, end, filter);
    forEachText(segment, passing, end, (post, terms, length) => texts.add(terms, length, languages[post]!));
  }
  return new IndexedTexts(texts);
}

/** A 32-bit hash of the terms of a post. */
function hashTerms(terms: Uint32Array, length: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ terms[at]!, 0x01000193) ^ (hash >>> 15);
  return hash;
}

/** A term, or a pair of adjacent terms, that is significantly more frequent with the keywords. */
interface ScoredTerm {
  readonly terms: readonly number[];
  /** The number of sampled texts with the keywords that have it. */
  readonly texts: number;
  readonly score: number;
}

function rankTerms(inside: SampleTexts, samples: readonly IndexedTexts[], query: RelatedQuery): string[] {
  const { lexicon, without, max } = query;
  const posts = samples.reduce((sum, sample) => sum + sample.posts, 0);
  const scored: ScoredTerm[] = [];
  countTerms(inside, lexicon.size, (terms, texts) => {
    const [first, second] = terms as [number, number?];
    let around = 0;
    for (const sample of samples)
      around += second === undefined ? sample.countOf(first) : sample.countPair(first, second);
    if (texts * posts < LIFT_MIN * around * inside.posts) return;
    const score = likelihoodRatio(texts, inside.posts, around, posts);
    if (score >= SIGNIFICANT) scored.push({ terms, texts, score: texts < RARE_POSTS ? score - RARE_PENALTY : score });
  });
  const left = without.flatMap(tokensOf);
  const stops = stopWordsOf(inside);
  const isListed = ({ terms }: ScoredTerm): boolean =>
    terms.every((term) => {
      const text = lexicon.text(term);
      const isKind = terms.length === 1 ? isTerm(text) : isTerm(text) && isSpacedWord(text);
      return (
        isKind && !left.some((token) => isTokenOf(text, token, ANYWHERE)) && !stops.some((words) => words.has(text))
      );
    });
  const ranked = placePairs(scored, isListed).sort((a, b) => b.score - a.score);
  const found: { readonly text: string; readonly score: number }[] = [];
  for (const each of ranked) {
    // Ties are ordered by text: term numbers depend on the order of indexing.
    if (found.length >= max && each.score < found[max - 1]!.score) break;
    if (isListed(each)) found.push({ text: each.terms.map((term) => lexicon.text(term)).join(' '), score: each.score });
  }
  return found
    .sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .slice(0, max)
    .map(({ text }) => text);
}

/** Replaces words by the pairs that they mostly occur in. @source decision 1033 */
function placePairs(scored: readonly ScoredTerm[], isListed: (term: ScoredTerm) => boolean): ScoredTerm[] {
  const words = new Map<number, ScoredTerm>();
  for (const each of scored) if (each.terms.length === 1) words.set(each.terms[0]!, each);
  const replaced = new Set<number>();
  const pairs = scored
    .filter((each) => each.terms.length === 2 && isListed(each))
    .map((pair) => {
      let { score } = pair;
      for (const term of pair.terms) {
        const word = words.get(term);
        if (word === undefined || pair.texts < word.texts / 2) continue;
        replaced.add(term);
        score = Math.max(score, word.score);
      }
      return { ...pair, score };
    });
  for (const term of replaced) words.delete(term);
  return [...words.values(), ...pairs];
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

function stopWordsOf({ posts, languages }: SampleTexts): readonly ReadonlySet<string>[] {
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

const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/** Whether a word is written between spaces, so that a pair of them is written with a space. */
function isSpacedWord(text: string): boolean {
  return !text.startsWith('#') && !UNSPACED.test(text);
}
