import type { KeywordQuery, KeywordStats } from '../../contract/services/keywords.ts';
import { countPosts } from './count-posts.ts';
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

/** Keywords of several words are phrases. @source decision 307 */
function resolveAll(texts: readonly string[], lexicon: Lexicon): ResolvedPhrase[] {
  return texts.flatMap((text) => resolvePhrase({ match: 'in a row', text }, lexicon) ?? []);
}
