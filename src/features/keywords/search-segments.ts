import type { KeywordQuery, KeywordStats } from '../../contract/services/keywords.ts';
import { findPosts, type Lexicon, type ResolvedPhrase, resolvePhrase } from './phrase-search.ts';
import type { MatchedPosts, PostFilter } from './post-filter.ts';
import { countryNumber } from './post-page.ts';
import { relatedTerms, type SampleCache } from './related-terms.ts';
import type { Segment } from './segment.ts';

/** Searches the segments of the days of a query. */
export function searchSegments(
  question: KeywordQuery,
  segments: readonly Segment[],
  lexicon: Lexicon,
  remembered: SampleCache,
): KeywordStats {
  const { from, to, bucket_s, keywords, negatives, related_max } = question;
  const frame: PostFilter = { from, to, country: countryNumber(question.country) };
  const volume = new Array<number>(Math.ceil((to - from) / bucket_s)).fill(0);
  const wanted = resolveAll(keywords, lexicon);
  const unwanted = resolveAll(negatives, lexicon);
  const matched: MatchedPosts[] = [];
  for (const segment of segments) {
    const posts = findPosts(segment, wanted);
    if (unwanted.length > 0) {
      const without = findPosts(segment, unwanted);
      for (let word = 0; word < posts.length; word++) posts[word]! &= ~without[word]!;
    }
    countPosts({ segment, posts }, frame, volume, bucket_s);
    matched.push({ segment, posts });
  }
  const count = volume.reduce((sum, each) => sum + each, 0);
  const without = [...keywords, ...negatives];
  const related = relatedTerms({ matched, count, frame, lexicon, without, max: related_max }, remembered);
  return { volume, related };
}

/**
 * Counts the posts of a set by bucket, starting at `from`, and removes those that do not pass the filter.
 * @source decision 309
 */
function countPosts({ segment, posts }: MatchedPosts, frame: PostFilter, volume: number[], bucket_s: number): void {
  const { createdAt, countries } = segment;
  const { from, to, country } = frame;
  for (let word = 0; word < posts.length; word++) {
    let rest = posts[word]!;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const post = word * 32 + 31 - Math.clz32(lowest);
      const at = createdAt[post]!;
      if (at >= from && at < to && (country === 0 || countries[post] === country)) {
        volume[((at - from) / bucket_s) | 0]! += 1;
      } else posts[word]! &= ~lowest;
    }
  }
}

/** Keywords of several words are phrases. @source decision 307 */
function resolveAll(texts: readonly string[], lexicon: Lexicon): ResolvedPhrase[] {
  return texts.flatMap((text) => resolvePhrase({ match: 'in a row', text }, lexicon) ?? []);
}
