import type { SegmentEntry } from './manifest.ts';

/** A day may have so many segments; each costs a question a little. */
const SEGMENTS_MAX = 4;
/** A segment that has so many posts stays as it is. */
const POSTS_MAX = 500_000;

/**
 * Segments of one day that are to become one, because the day has too many: the smallest, and each next one while it is
 * not much larger than those before it together, so that no post is merged often. Undefined when all is well.
 */
export function toBeMerged(segments: readonly SegmentEntry[]): readonly SegmentEntry[] | undefined {
  const small = segments.filter(({ posts }) => posts < POSTS_MAX / 2);
  for (const ofDay of Map.groupBy(small, ({ scope, day }) => `${scope} ${day}`).values()) {
    if (ofDay.length <= SEGMENTS_MAX) continue;
    const group: SegmentEntry[] = [];
    let posts = 0;
    for (const segment of ofDay.sort((a, b) => a.posts - b.posts || (a.name < b.name ? -1 : 1))) {
      if (posts + segment.posts > POSTS_MAX || (group.length >= 2 && segment.posts > posts * 2)) break;
      group.push(segment);
      posts += segment.posts;
    }
    if (group.length > 1) return group;
  }
  return undefined;
}
