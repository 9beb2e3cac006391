import type { KeywordQuery, KeywordStats } from '../../contract/services/keywords.ts';
import { type KnownPhrase, knownPhrase, type Lexicon, postsSaying } from './phrase-search.ts';
import type { Frame, Matched } from './post-filter.ts';
import { countryNumber } from './post-page.ts';
import { type Remembered, relatedTerms } from './related-terms.ts';
import type { Segment } from './segment.ts';

/** Answers a question over segments, which are those of the days that it is about. */
export function searchSegments(
  question: KeywordQuery,
  segments: readonly Segment[],
  lexicon: Lexicon,
  remembered: Remembered,
): KeywordStats {
  const { from, to, bucket_s, keywords, negatives, related_max } = question;
  const frame: Frame = { from, to, country: countryNumber(question.country) };
  const volume = new Array<number>(Math.ceil((to - from) / bucket_s)).fill(0);
  const wanted = known(keywords, lexicon);
  const unwanted = known(negatives, lexicon);
  const matched: Matched[] = [];
  for (const segment of segments) {
    const posts = postsSaying(segment, wanted);
    if (unwanted.length > 0) {
      const without = postsSaying(segment, unwanted);
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

/** Counts posts of a set by bucket, and takes those away that are not within a frame. */
function countPosts({ segment, posts }: Matched, frame: Frame, volume: number[], bucket_s: number): void {
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

function known(texts: readonly string[], lexicon: Lexicon): KnownPhrase[] {
  return texts.flatMap((text) => knownPhrase({ match: 'in a row', text }, lexicon) ?? []);
}
