import { grown, type NumberArray } from './growing-array.ts';
import type { Draft } from './segment-draft.ts';
import { reserve, type VarintWriter, varintWriter, writeVarint } from './varints.ts';

/** The columns of a segment, as `segment.ts` reads them. */
export interface SegmentColumns {
  readonly hashes: Uint32Array;
  readonly createdAt: Uint32Array;
  readonly countries: Uint16Array;
  readonly languages: Uint16Array;
  readonly users: BigUint64Array;
  /** Where the tokens of each post begin among the words, and where those of the last end. */
  readonly starts: Uint32Array;
  /** The tokens of each post in their order, as numbers of variable length. */
  readonly words: Uint8Array;
  /** The terms that occur, ascending. */
  readonly terms: Uint32Array;
  /** Where the postings of each term end. */
  readonly ends: Uint32Array;
  /** For each term the posts that say it, ascending, as differences of variable length. */
  readonly postings: Uint8Array;
}

/** Arranges drafts; keeps its memory from one to the next. */
export interface SegmentWriter {
  /** Arranges a draft of terms below a number. */
  arrange(draft: Draft, terms: number): SegmentColumns;
}

/** Posts are sorted by the hash of their ids, so that a beginning of a segment is a sample of it. */
export function segmentWriter(): SegmentWriter {
  // By term: how many posts say it, then where its next post is put; which post was the last to say it.
  let counts = new Uint32Array();
  let seenBy = new Uint32Array();

  /** Calls back for each different term of each post, posts in their new order. */
  function forEachTerm(draft: Draft, order: Uint32Array, said: (term: number, at: number) => void): void {
    for (let at = 0; at < order.length; at++) {
      const post = order[at]!;
      const to = draft.ends[post]!;
      for (let token = post === 0 ? 0 : draft.ends[post - 1]!; token < to; token++) {
        const term = draft.tokens[token]!;
        if (seenBy[term] === at + 1) continue;
        seenBy[term] = at + 1;
        said(term, at);
      }
    }
  }

  /** The posts of each term, and the terms. */
  function postingsOf(draft: Draft, order: Uint32Array): Pick<SegmentColumns, 'terms' | 'ends' | 'postings'> {
    let occurring = new Uint32Array(1024);
    let found = 0;
    let pairs = 0;
    forEachTerm(draft, order, (term) => {
      if (counts[term]!++ === 0) {
        occurring = grown(occurring, found + 1);
        occurring[found++] = term;
      }
      pairs += 1;
    });
    const terms = occurring.slice(0, found).sort();
    let place = 0;
    for (const term of terms) {
      const count = counts[term]!;
      counts[term] = place;
      seenBy[term] = 0;
      place += count;
    }
    const posts = new Uint32Array(pairs);
    forEachTerm(draft, order, (term, at) => {
      posts[counts[term]!++] = at;
    });
    const ends = new Uint32Array(found);
    const writer = varintWriter(pairs * 2 + 16);
    let from = 0;
    for (let index = 0; index < found; index++) {
      const term = terms[index]!;
      writeDifferences(writer, posts, from, counts[term]!);
      from = counts[term]!;
      ends[index] = writer.length;
      counts[term] = 0;
      seenBy[term] = 0;
    }
    return { terms, ends, postings: writer.bytes.subarray(0, writer.length) };
  }

  return {
    arrange(draft, terms) {
      counts = grown(counts, terms);
      seenBy = grown(seenBy, terms);
      const order = orderOf(draft);
      const starts = new Uint32Array(draft.posts + 1);
      const words = varintWriter(draft.length * 2 + 16);
      for (let at = 0; at < order.length; at++) {
        const post = order[at]!;
        const from = post === 0 ? 0 : draft.ends[post - 1]!;
        const to = draft.ends[post]!;
        reserve(words, to - from);
        for (let token = from; token < to; token++) writeVarint(words, draft.tokens[token]!);
        starts[at + 1] = words.length;
      }
      return {
        hashes: arranged(order, draft.hashes),
        createdAt: arranged(order, draft.createdAt),
        countries: arranged(order, draft.countries),
        languages: arranged(order, draft.languages),
        users: arranged(order, draft.users),
        starts,
        words: words.bytes.subarray(0, words.length),
        ...postingsOf(draft, order),
      };
    },
  };
}

function arranged<A extends NumberArray>(order: Uint32Array, column: A): A {
  const make = column.constructor as new (length: number) => A;
  const sorted = new make(order.length);
  for (let at = 0; at < order.length; at++) sorted[at] = column[order[at]!]!;
  return sorted;
}

function writeDifferences(writer: VarintWriter, posts: Uint32Array, from: number, to: number): void {
  reserve(writer, to - from);
  let before = 0;
  for (let at = from; at < to; at++) {
    writeVarint(writer, posts[at]! - before);
    before = posts[at]!;
  }
}

/** The posts of a draft by their hashes. */
function orderOf({ posts, hashes }: Draft): Uint32Array {
  // Both in one number, because numbers sort fast by themselves.
  const room = 2 ** 21;
  if (posts > room) throw new Error('a segment has at most two million posts');
  const keys = new Float64Array(posts);
  for (let post = 0; post < posts; post++) keys[post] = hashes[post]! * room + post;
  keys.sort();
  return Uint32Array.from(keys, (key) => key % room);
}
