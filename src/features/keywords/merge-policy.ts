import type { SegmentEntry, TermsEntry } from './manifest.ts';

/** Segments of a day before they are merged; each makes searches a little slower. */
const SEGMENTS_MAX = 4;
/** The most posts of a merged segment. */
const POSTS_MAX = 500_000;

/**
 * Chooses segments of a day to merge when it has too many: the smallest, and each next one while it is not much larger
 * than those before it together, so that posts are rarely rewritten. Undefined when no merge is needed.
 */
export function selectForMerge(segments: readonly SegmentEntry[]): readonly SegmentEntry[] | undefined {
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

/**
 * The number of files of terms that stay when terms are added: the last ones are written anew together with the new terms
 * while they are not much larger, so that there are few files and terms are rarely rewritten.
 * @source decision 816
 */
export function countLasting(files: readonly TermsEntry[], terms: number): number {
  let lasting = files.length;
  while (
    lasting > 0 &&
    files[lasting - 1]!.terms - files[lasting - 1]!.from <= 2 * (terms - files[lasting - 1]!.terms)
  ) {
    lasting -= 1;
  }
  return lasting;
}
