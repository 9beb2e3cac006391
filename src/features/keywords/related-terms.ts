import { tokensOf } from '../../base/tokens.ts';
import { formsOf, type Lexicon } from './phrase-search.ts';
import { type Frame, isWithin, type Matched } from './post-filter.ts';
import { DAY_S, languageOfNumber } from './post-page.ts';
import { forEachPost, readTokens, type Segment } from './segment.ts';
import { stopWords } from './stop-words.ts';

/** What related terms are looked for in. */
export interface RelatedQuestion {
  /** Posts that say the keywords, within the frame. */
  readonly matched: readonly Matched[];
  /** How many these are. */
  readonly count: number;
  readonly frame: Frame;
  readonly lexicon: Lexicon;
  /** Texts of which no token is a related term. */
  readonly without: readonly string[];
  readonly max: number;
}

/** So many posts with the keywords, and so many of all, are read: of more, about so many, always the same. */
const MATCHED_MAX = 10_000;
const AROUND_MAX = 100_000;
const HOUR_S = 3600;
/** Samples that are remembered: 4 bytes a term each. */
const REMEMBERED_MAX = 8;
/** Tokens of a short post. */
const FEW = 40;
/** The value of the chi-squared distribution with one degree of freedom that one in a hundred exceeds by chance. @source Dunning 1993 */
const SIGNIFICANT = 6.63;
const POSTS_MIN = 2;
/** Terms that fewer posts say come behind the others. */
const POSTS_FEW = 3;
/** More than any score. */
const BEHIND = 1e9;
/** How much more often a term is said with the keywords than at all, at least. */
const TIMES_MORE = 2;
/** Languages of a smaller share of the posts do not say which words are left out. */
const LANGUAGE_SHARE = 0.05;

/** How many posts of a sample say each term. */
interface Counts {
  posts: number;
  readonly terms: Uint32Array;
  /** By number. */
  readonly languages: Uint32Array;
}

/** What samples of segments say, by what was sampled: it is the same whatever is searched, and looked for again. */
export type Remembered = Map<string, Counts>;

/**
 * The terms that posts with the keywords say more often than all posts of their hours and country, by the log-likelihood
 * ratio of both shares. A post counts once for a term, and a text that is posted again not at all. Samples are taken by the hash of ids, so that the same posts have
 * the same terms, however they are stored.
 * @source Dunning 1993; Rayson 2000
 */
export function relatedTerms(question: RelatedQuestion, remembered: Remembered): string[] {
  const { lexicon, matched, count, max, frame } = question;
  if (count === 0 || max === 0) return [];
  const inside = noCounts(lexicon.size);
  const scratch = new Uint32Array(lexicon.size);
  const insideBelow = limitFor(MATCHED_MAX, count);
  const texts = new Set<number>();
  for (const { segment, posts } of matched) {
    forEachPost(posts, beginning(segment, insideBelow), (post) => {
      const text = textHash(segment, post);
      if (texts.has(text)) return;
      texts.add(text);
      countPost(segment, post, inside, scratch);
    });
  }
  const around: Frame = {
    from: Math.floor(frame.from / HOUR_S) * HOUR_S,
    to: Math.ceil(frame.to / HOUR_S) * HOUR_S,
    country: frame.country,
  };
  const segments = matched.map(({ segment }) => segment);
  const below = 2 ** Math.floor(Math.log2(limitFor(AROUND_MAX, postsWithin(segments, around))));
  const all = countAround(segments, around, below, lexicon.size, remembered);
  return best(inside, all, question, max);
}

/** Below which hash about so many posts of all are. */
function limitFor(wanted: number, all: number): number {
  return all <= wanted ? 2 ** 32 : Math.floor((2 ** 32 * wanted) / all);
}

/** About how many posts are within a frame: those of its days, in proportion. */
function postsWithin(segments: readonly Segment[], { from, to, country }: Frame): number {
  let posts = 0;
  for (const segment of segments) posts += country === 0 ? segment.posts : segment.postsOf(country);
  const days = Math.ceil(to / DAY_S) - Math.floor(from / DAY_S);
  return posts * ((to - from) / (days * DAY_S));
}

/** How many posts of a segment have a hash below a limit: they are sorted by it. */
function beginning({ hashes }: Segment, limit: number): number {
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What posts say that are within a frame and have a hash below a limit. */
function countAround(
  segments: readonly Segment[],
  frame: Frame,
  below: number,
  terms: number,
  remembered: Remembered,
): Counts {
  const kept = segments.filter(({ path }) => path !== '');
  const key = [frame.from, frame.to, frame.country, below, ...kept.map(({ path }) => path)].join();
  const scratch = new Uint32Array(terms);
  const count = (some: readonly Segment[], into: Counts): void => {
    for (const segment of some) {
      const end = beginning(segment, below);
      for (let post = 0; post < end; post++) {
        if (isWithin(segment, post, frame)) countPost(segment, post, into, scratch);
      }
    }
  };
  let known = remembered.get(key);
  if (!known) {
    known = noCounts(terms);
    count(kept, known);
  }
  remembered.delete(key);
  remembered.set(key, known);
  for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED_MAX) remembered.delete(oldest);
  if (kept.length === segments.length) return known;
  // Posts that no segment on disk has are not the same the next time.
  const all = noCounts(terms);
  all.posts = known.posts;
  all.terms.set(known.terms.subarray(0, terms));
  all.languages.set(known.languages);
  count(
    segments.filter(({ path }) => path === ''),
    all,
  );
  return all;
}

function noCounts(terms: number): Counts {
  return { posts: 0, terms: new Uint32Array(terms), languages: new Uint32Array(1024) };
}

/** What tells the words of posts from each other, as far as 32 bits can. */
function textHash({ words, starts }: Segment, post: number): number {
  let hash = 0x811c9dc5 | 0;
  const end = starts[post + 1]!;
  for (let at = starts[post]!; at < end; at++) hash = Math.imul(hash ^ words[at]!, 0x01000193) ^ (hash >>> 15);
  return hash;
}

let said = new Uint32Array(1024);

/** Counts each term of a post once. @param scratch by term: the last post that said it, of one call after the other */
function countPost(segment: Segment, post: number, into: Counts, scratch: Uint32Array): void {
  const room = segment.starts[post + 1]! - segment.starts[post]!;
  if (room > said.length) said = new Uint32Array(room * 2);
  const length = readTokens(segment, post, said);
  into.posts += 1;
  into.languages[segment.languages[post]!]! += 1;
  const { terms } = into;
  if (length <= FEW) {
    // Looking at the few before it is faster than looking into a large table.
    for (let at = 0; at < length; at++) {
      const term = said[at]!;
      let before = 0;
      while (said[before] !== term) before += 1;
      if (before === at) terms[term]! += 1;
    }
    return;
  }
  for (let at = 0; at < length; at++) {
    const term = said[at]!;
    if (scratch[term]! === 0) terms[term]! += 1;
    scratch[term] = 1;
  }
  for (let at = 0; at < length; at++) scratch[said[at]!] = 0;
}

function best(inside: Counts, all: Counts, { lexicon, without }: RelatedQuestion, max: number): string[] {
  const scored: { readonly term: number; readonly score: number }[] = [];
  for (let term = 0; term < inside.terms.length; term++) {
    const a = inside.terms[term]!;
    if (a < POSTS_MIN) continue;
    // What was remembered does not know terms that came later.
    const b = all.terms[term] ?? 0;
    if (a * all.posts < TIMES_MORE * b * inside.posts) continue;
    const score = likelihoodRatio(a, inside.posts, b, all.posts);
    if (score >= SIGNIFICANT) scored.push({ term, score: a < POSTS_FEW ? score - BEHIND : score });
  }
  scored.sort((left, right) => right.score - left.score);
  const left = new Set(without.flatMap(tokensOf).flatMap(formsOf));
  const stops = stopWordsOf(inside);
  const found: { readonly text: string; readonly score: number }[] = [];
  for (const { term, score } of scored) {
    // Equal ones are put into the order of their texts: numbers depend on what was stored first.
    if (found.length >= max && score < found[max - 1]!.score) break;
    const text = lexicon.text(term);
    if (!left.has(text) && isTerm(text) && !stops.some((words) => words.has(text))) found.push({ text, score });
  }
  return found
    .sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
    .slice(0, max)
    .map(({ text }) => text);
}

/** How much likelier two different shares are than one. @param a of `all` posts, `b` of `others` */
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
    found.push(...stopWords(language === 0 ? undefined : languageOfNumber(language)));
  }
  return [...new Set(found)];
}

/** Words and hashtags; no handles, pictures and numbers, and no single letters, which only in Chinese are words. */
function isTerm(text: string): boolean {
  return /^\p{Script=Han}$|^(?!@)(?!#?[\p{N}_]+$).*[\p{L}\p{M}\p{N}_].*[\p{L}\p{M}\p{N}_]/u.test(text);
}
