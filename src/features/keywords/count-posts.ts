import type { MatchedPosts, PostFilter } from './post-filter.ts';
import { HOUR_S } from './post-page.ts';

/** The time range of a search has none of an hour, all of it in one bucket, or its posts have to be looked at one by one. */
const OUTSIDE = 0;
const WHOLE = 1;
const DIVIDED = 2;
/** Hours of a segment at most. */
const HOURS = 256;

/**
 * Counts the posts of a set by bucket, starting at `from`, and removes those that do not pass the filter.
 * @source decision 309
 */
export function countPosts(
  { segment, posts }: MatchedPosts,
  frame: PostFilter,
  volume: number[],
  bucket_s: number,
): void {
  const { from, to, country } = frame;
  const found = segment.hours();
  const hours = found?.column ?? new Uint8Array(segment.posts);
  const kinds = found ? kindsOfHours(found.first, frame, bucket_s) : new Uint8Array(HOURS).fill(DIVIDED);
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

/** What the time range of a search has of the hours from the first one of a segment on. */
function kindsOfHours(first: number, { from, to }: PostFilter, bucket_s: number): Uint8Array {
  return Uint8Array.from({ length: HOURS }, (_, hour) => {
    const [begin, end] = [(first + hour) * HOUR_S, (first + hour + 1) * HOUR_S];
    if (end <= from || begin >= to) return OUTSIDE;
    if (begin < from || end > to) return DIVIDED;
    const [firstBucket, lastBucket] = [begin, end - 1].map((at) => Math.floor((at - from) / bucket_s));
    return firstBucket === lastBucket ? WHOLE : DIVIDED;
  });
}
