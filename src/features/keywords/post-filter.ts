import type { PostSet, Segment } from './segment.ts';

/** The matching posts of a segment. */
export interface MatchedPosts {
  readonly segment: Segment;
  readonly posts: PostSet;
}

/** Time range (`to` is exclusive) and country of a search. */
export interface PostFilter {
  readonly from: number;
  readonly to: number;
  /** 0 for all countries. */
  readonly country: number;
}

/** Whether a post of a segment passes a filter. */
export function passesFilter(
  { createdAt, countries }: Segment,
  post: number,
  { from, to, country }: PostFilter,
): boolean {
  const at = createdAt[post]!;
  return at >= from && at < to && (country === 0 || countries[post] === country);
}
