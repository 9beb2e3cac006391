import { openSections, type Sections } from '../../base/columns-file.ts';
import type { SegmentColumns } from './segment-writer.ts';

/** An immutable set of posts of one day, ready to be searched. */
export interface Segment extends Omit<SegmentColumns, 'users'> {
  /** The path of its file; empty without one. */
  readonly path: string;
  readonly posts: number;
  /** Memory use in bytes. */
  readonly bytes: number;
  /** The author of each post; 0 when unknown. Read from the file on each call. */
  users(): BigUint64Array;
  /** The number of posts from a country. */
  postsOf(country: number): number;
}

/** A set of posts of a segment: one bit each, least significant first. */
export type PostSet = Uint32Array;

const COLUMNS_IN_MEMORY = [
  'hashes',
  'createdAt',
  'countries',
  'languages',
  'starts',
  'words',
  'terms',
  'ends',
  'postings',
] as const;

/** Reads a segment from its file. @throws when it is missing or incomplete */
export function readSegment(path: string): Segment {
  const columns = readColumns(path, COLUMNS_IN_MEMORY) as Omit<SegmentColumns, 'users'>;
  return segmentOf(columns, () => readColumns(path, ['users']).users as BigUint64Array, path);
}

function readColumns(path: string, names: readonly string[]): Sections {
  const file = openSections(path);
  try {
    return Object.fromEntries(names.map((name) => [name, file.read(name)]));
  } finally {
    file.close();
  }
}

/** A segment in memory; authors are read on demand. */
export function segmentOf(columns: Omit<SegmentColumns, 'users'>, users: () => BigUint64Array, path = ''): Segment {
  const byCountry = new Map<number, number>();
  const { countries } = columns;
  return {
    ...columns,
    path,
    posts: columns.hashes.length,
    bytes: COLUMNS_IN_MEMORY.reduce((bytes, name) => bytes + columns[name].byteLength, 0),
    users,
    postsOf(country) {
      if (byCountry.size === 0) for (const each of countries) byCountry.set(each, (byCountry.get(each) ?? 0) + 1);
      return byCountry.get(country) ?? 0;
    },
  };
}

/** An empty set. */
export function emptyPostSet({ posts }: Segment): PostSet {
  return new Uint32Array((posts + 31) >>> 5);
}

/** Adds the posts that contain a term. */
export function addPostsWithTerm(set: PostSet, segment: Segment, term: number): void {
  const index = indexOf(segment.terms, term);
  if (index < 0) return;
  const { postings, ends } = segment;
  const end = ends[index]!;
  let post = 0;
  for (let at = index === 0 ? 0 : ends[index - 1]!; at < end; ) {
    let byte = postings[at++]!;
    if (byte < 128) post += byte;
    else {
      let number = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = postings[at++]!;
        number |= (byte & 127) << shift;
      }
      post += number;
    }
    set[post >>> 5]! |= 1 << (post & 31);
  }
}

function indexOf(terms: Uint32Array, term: number): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = terms[middle]!;
    if (found === term) return middle;
    if (found < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Calls `seen` for each post of a set below a number, ascending. */
export function forEachPost(set: PostSet, below: number, seen: (post: number) => void): void {
  const words = Math.min(set.length, (below + 31) >>> 5);
  for (let word = 0; word < words; word++) {
    let rest = set[word]!;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const post = word * 32 + 31 - Math.clz32(lowest);
      if (post >= below) return;
      seen(post);
    }
  }
}

/** Reads the tokens of a post into an array that is long enough; returns their number. */
export function readTokens({ words, starts }: Segment, post: number, into: Uint32Array): number {
  const end = starts[post + 1]!;
  let count = 0;
  for (let at = starts[post]!; at < end; ) {
    let byte = words[at++]!;
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = words[at++]!;
      number |= (byte & 127) << shift;
    }
    into[count++] = number >>> 0;
  }
  return count;
}
