import type { KeywordQuery, KeywordStats } from '../../contract/services/keywords.ts';
import { findPosts, type Lexicon, type ResolvedPhrase, resolvePhrase } from './phrase-search.ts';
import { countryNumber, HOUR_S } from './post-page.ts';
import { relatedTerms, type SampleCache } from './related-terms.ts';
import type { MatchedPosts, PostFilter, Segment } from './segment.ts';

/** Runs a query over the segments of its days. */
export function searchSegments(
  query: KeywordQuery,
  segments: readonly Segment[],
  lexicon: Lexicon,
  cache: SampleCache,
): KeywordStats {
  const { from, to, bucket_s, keywords, negatives, related_max } = query;
  const filter: PostFilter = { from, to, country: countryNumber(query.country) };
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
    countPosts({ segment, posts }, filter, volume, bucket_s);
    matched.push({ segment, posts });
  }
  const count = volume.reduce((sum, each) => sum + each, 0);
  const without = [...keywords, ...negatives];
  const related = relatedTerms({ matched, count, filter, lexicon, without, max: related_max }, cache);
  return { volume, related };
}

/** Keywords of several words are phrases. @source decision 307 */
function resolveAll(texts: readonly string[], lexicon: Lexicon): ResolvedPhrase[] {
  return texts.flatMap((text) => resolvePhrase({ match: 'in a row', text }, lexicon) ?? []);
}

/** How an hour overlaps the time range: not at all, within one bucket, or partly, so that its posts are checked one by one. */
const OUTSIDE = 0;
const WHOLE = 1;
const DIVIDED = 2;
/** Maximum number of hours in a segment. */
const HOURS = 256;

/**
 * Counts the posts of a set by bucket, starting at `from`, and removes those that do not pass the filter.
 * @source decision 309
 */
function countPosts({ segment, posts }: MatchedPosts, filter: PostFilter, volume: number[], bucket_s: number): void {
  const { from, to, country } = filter;
  const found = segment.hours();
  const hours = found?.column ?? new Uint8Array(segment.posts);
  const kinds = found ? kindsOfHours(found.first, filter, bucket_s) : new Uint8Array(HOURS).fill(DIVIDED);
  const counts = new Uint32Array(HOURS);
  const countries = country === 0 ? undefined : segment.column('countries');
  let createdAt: Uint32Array | undefined;
  const countExactly = (post: number): boolean => {
    createdAt ??= segment.column('createdAt');
    const at = createdAt[post]!;
    if (at < from || at >= to) return false;
    volume[Math.floor((at - from) / bucket_s)]! += 1;
    return true;
  };
  for (let word = 0; word < posts.length; word++) {
    let rest = posts[word]!;
    let passing = rest;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const post = word * 32 + 31 - Math.clz32(lowest);
      if (countries !== undefined && countries[post] !== country) {
        passing ^= lowest;
        continue;
      }
      const hour = hours[post]!;
      const kind = kinds[hour]!;
      if (kind === WHOLE) counts[hour]! += 1;
      else if (kind === OUTSIDE || !countExactly(post)) passing ^= lowest;
    }
    posts[word] = passing;
  }
  for (let hour = 0; hour < HOURS; hour++) {
    const count = counts[hour]!;
    if (count > 0) volume[Math.floor(((found!.first + hour) * HOUR_S - from) / bucket_s)]! += count;
  }
}

/** Classifies the hours of a segment, beginning with `first`. */
function kindsOfHours(first: number, { from, to }: PostFilter, bucket_s: number): Uint8Array {
  return Uint8Array.from({ length: HOURS }, (_, hour) => {
    const [begin, end] = [(first + hour) * HOUR_S, (first + hour + 1) * HOUR_S];
    if (end <= from || begin >= to) return OUTSIDE;
    if (begin < from || end > to) return DIVIDED;
    const [firstBucket, lastBucket] = [begin, end - 1].map((at) => Math.floor((at - from) / bucket_s));
    return firstBucket === lastBucket ? WHOLE : DIVIDED;
  });
}
