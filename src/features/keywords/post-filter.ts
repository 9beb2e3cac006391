import { emptyPostSet, type PostSet, type Segment } from './segment.ts';

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

/** The posts below a number that pass a filter. */
export function postsThatPass(segment: Segment, below: number, { from, to, country }: PostFilter): PostSet {
  const passing = emptyPostSet(segment);
  const createdAt = segment.part('createdAt', 0, below);
  const countries = country === 0 ? undefined : segment.part('countries', 0, below);
  for (let post = 0; post < below; post++) {
    const at = createdAt[post]!;
    if (at >= from && at < to && (!countries || countries[post] === country)) passing[post >>> 5]! |= 1 << (post & 31);
  }
  return passing;
}
