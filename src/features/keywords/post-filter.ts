import type { PostSet, Segment } from './segment.ts';

/** Posts of a segment that a question is about. */
export interface Matched {
  readonly segment: Segment;
  readonly posts: PostSet;
}

/** Which posts are looked at whatever they say. */
export interface Frame {
  readonly from: number;
  readonly to: number;
  /** 0 for every country. */
  readonly country: number;
}

/** Whether a post of a segment is within a frame. */
export function isWithin({ createdAt, countries }: Segment, post: number, { from, to, country }: Frame): boolean {
  const at = createdAt[post]!;
  return at >= from && at < to && (country === 0 || countries[post] === country);
}
