import { HOUR_S } from './post-page.ts';
import type { SegmentColumns } from './segment-writer.ts';

/** The name of a column of a segment. */
export type ColumnName = keyof SegmentColumns;

/** An immutable set of posts of one day, ready to be searched. */
export interface Segment {
  /** The path of its file; empty without one. */
  readonly path: string;
  readonly posts: number;
  /** A whole column. @throws when its file is missing or damaged */
  column<N extends ColumnName>(name: N): SegmentColumns[N];
  /**
   * The elements of a column from `from` to `to` (exclusive). The array may be reused by the next call for the same
   * column of any segment.
   * @throws when its file is missing or damaged
   */
  part<N extends ColumnName>(name: N, from: number, to: number): SegmentColumns[N];
  /** The hours of all posts; undefined when they span more than 256. */
  hours(): PostHours | undefined;
  /** Whether reading parts of a column costs nothing, because it is in memory. */
  isInMemory(name: ColumnName): boolean;
  /** Returns the number of posts from a country. */
  countPostsFrom(country: number): number;
}

/** The hours in which posts were created, by post. */
export interface PostHours {
  /** The first hour, since 1970. */
  readonly first: number;
  /** Hours since the first one. */
  readonly column: Uint8Array;
}

/** A set of posts of a segment: one bit each, least significant first. */
export type PostSet = Uint32Array;

/** Number of posts in a block, whose wanted texts are read together. */
const BLOCK_POSTS = 1024;
/** If a block has at least this many wanted texts, they are read at once, with those between them. */
const DENSE_POSTS = 4;

/** A segment in memory. */
export function segmentOf(columns: SegmentColumns): Segment {
  let byCountry: ReadonlyMap<number, number> | undefined;
  let hours: PostHours | undefined;
  return {
    path: '',
    posts: columns.hashes.length,
    column: (name) => columns[name],
    part: <N extends ColumnName>(name: N, from: number, to: number) =>
      columns[name].subarray(from, to) as SegmentColumns[N],
    hours() {
      hours ??= hoursOf(columns.createdAt);
      return hours;
    },
    isInMemory: () => true,
    countPostsFrom(country) {
      byCountry ??= countByCountry(columns.countries);
      return byCountry.get(country) ?? 0;
    },
  };
}

/** Converts times of creation in seconds to hours; undefined if they span more than 256. */
export function hoursOf(createdAt: Uint32Array): PostHours | undefined {
  let earliest = 0xffff_ffff;
  let latest = 0;
  for (let post = 0; post < createdAt.length; post++) {
    const at = createdAt[post]!;
    if (at < earliest) earliest = at;
    if (at > latest) latest = at;
  }
  const first = Math.floor(earliest / HOUR_S);
  if (Math.floor(latest / HOUR_S) - first > 255) return undefined;
  const column = new Uint8Array(createdAt.length);
  for (let post = 0; post < createdAt.length; post++) column[post] = createdAt[post]! / HOUR_S - first;
  return { first, column };
}

/** Counts the posts of each country. */
export function countByCountry(countries: Uint16Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const country of countries) counts.set(country, (counts.get(country) ?? 0) + 1);
  return counts;
}

/** Returns an empty set that has room for the posts of a segment. */
export function emptyPostSet({ posts }: Segment): PostSet {
  return new Uint32Array((posts + 31) >>> 5);
}

/** Returns a set of all posts; bits beyond the last post are set too. */
export function everyPost(segment: Segment): PostSet {
  return emptyPostSet(segment).fill(0xffff_ffff);
}

/** Adds the posts that contain a term. */
export function addPostsWithTerm(set: PostSet, segment: Segment, term: number): void {
  const index = indexOf(segment.column('terms'), term);
  if (index < 0) return;
  const ends = segment.column('ends');
  const postings = segment.part('postings', index === 0 ? 0 : ends[index - 1]!, ends[index]!);
  const end = postings.length;
  let post = 0;
  for (let at = 0; at < end; ) {
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

/** Calls `visit` for each post of a set, ascending. */
export function forEachPost(set: PostSet, visit: (post: number) => void): void {
  for (let word = 0; word < set.length; word++) {
    let rest = set[word]!;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      visit(word * 32 + 31 - Math.clz32(lowest));
    }
  }
}

/** Receives a post and its terms in text order: the first `length` elements of an array that is reused afterwards. */
type TextVisitor = (post: number, terms: Uint32Array, length: number) => void;

let termBuffer = new Uint32Array(1024);

/** Calls `visit` with the terms of each post of a set whose number is less than `below`, ascending. */
export function forEachText(segment: Segment, set: PostSet, below: number, visit: TextVisitor): void {
  forEachEncodedText(segment, set, below, (post, words, from, end) => {
    // Each term takes at least one byte.
    if (end - from > termBuffer.length) termBuffer = new Uint32Array((end - from) * 2);
    const into = termBuffer;
    let count = 0;
    for (let at = from; at < end; ) {
      let byte = words[at++]!;
      let number = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = words[at++]!;
        number |= (byte & 127) << shift;
      }
      into[count++] = number >>> 0;
    }
    visit(post, into, count);
  });
}

/** Receives a post and its terms, the varints in `words[from..end]`; the array is reused afterwards. */
type EncodedTextVisitor = (post: number, words: Uint8Array, from: number, end: number) => void;

/** Calls `visit` with the encoded terms of each post of a set whose number is less than `below`, ascending. */
export function forEachEncodedText(segment: Segment, set: PostSet, below: number, visit: EncodedTextVisitor): void {
  const chosen = new Uint32Array(BLOCK_POSTS);
  const end = Math.min(below, segment.posts);
  for (let first = 0; first < end; first += BLOCK_POSTS) {
    const count = listPosts(set, first, Math.min(first + BLOCK_POSTS, end), chosen);
    if (count > 0) readBlock(segment, chosen, count, visit);
  }
}

/** Writes the posts of a set from `from`, a multiple of 32, to `to` (exclusive) to an array; returns their number. */
function listPosts(set: PostSet, from: number, to: number, into: Uint32Array): number {
  let count = 0;
  for (let word = from >>> 5; word * 32 < to; word++) {
    let rest = set[word]!;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const post = word * 32 + 31 - Math.clz32(lowest);
      if (post < to) into[count++] = post;
    }
  }
  return count;
}

function readBlock(segment: Segment, chosen: Uint32Array, count: number, visit: EncodedTextVisitor): void {
  const first = chosen[0]!;
  const starts = segment.part('starts', first, chosen[count - 1]! + 2);
  const isDense = count >= DENSE_POSTS || segment.isInMemory('words');
  const from = starts[0]!;
  const block = isDense ? segment.part('words', from, starts.at(-1)!) : undefined;
  for (let index = 0; index < count; index++) {
    const post = chosen[index]!;
    const begin = starts[post - first]!;
    const end = starts[post - first + 1]!;
    if (block) visit(post, block, begin - from, end - from);
    else visit(post, segment.part('words', begin, end), 0, end - begin);
  }
}

/** The posts of a segment that match a search. */
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

/** Returns the posts that pass a filter and whose number is less than `below`. */
export function filterPosts(segment: Segment, below: number, { from, to, country }: PostFilter): PostSet {
  const passing = emptyPostSet(segment);
  const createdAt = segment.part('createdAt', 0, below);
  const countries = country === 0 ? undefined : segment.part('countries', 0, below);
  for (let post = 0; post < below; post++) {
    const at = createdAt[post]!;
    if (at >= from && at < to && (!countries || countries[post] === country)) passing[post >>> 5]! |= 1 << (post & 31);
  }
  return passing;
}
