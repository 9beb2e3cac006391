import { type NumberArray, withCapacity } from './growing-array.ts';
import type { SegmentDraft } from './segment-draft.ts';
import { reserveNumbers, type VarintWriter, varintWriter, writeVarint } from './varints.ts';

/** The columns of a segment. */
export interface SegmentColumns {
  readonly hashes: Uint32Array;
  readonly createdAt: Uint32Array;
  readonly countries: Uint16Array;
  readonly languages: Uint16Array;
  readonly users: BigUint64Array;
  /** Where the tokens of each post start in `words`, and where the last ones end. */
  readonly starts: Uint32Array;
  /** The tokens of each post in text order, as varints. */
  readonly words: Uint8Array;
  /** The terms of the segment, ascending. */
  readonly terms: Uint32Array;
  /** The end of the postings of each term. */
  readonly ends: Uint32Array;
  /** For each term its posts, ascending, delta-encoded as varints. */
  readonly postings: Uint8Array;
}

/** Turns drafts into columns; reuses its buffers. */
export interface SegmentWriter {
  /** The columns of a draft whose terms are below a number. */
  arrange(draft: SegmentDraft, terms: number): SegmentColumns;
}

/**
 * Posts are sorted by the hash of their ids, so that any prefix of a segment is a random sample.
 * @source decision 314
 */
export function segmentWriter(): SegmentWriter {
  // By term: its number of posts, then the index for its next post; and the last post that contained it.
  let counts = new Uint32Array();
  let seenBy = new Uint32Array();

  /** Calls `said` with each distinct term of each post, in the new order of posts. */
  function forEachTerm(draft: SegmentDraft, order: Uint32Array, visit: (term: number, at: number) => void): void {
    for (let at = 0; at < order.length; at++) {
      const post = order[at]!;
      const to = draft.ends[post]!;
      for (let token = post === 0 ? 0 : draft.ends[post - 1]!; token < to; token++) {
        const term = draft.tokens[token]!;
        if (seenBy[term] === at + 1) continue;
        seenBy[term] = at + 1;
        visit(term, at);
      }
    }
  }

  /** The terms and their postings. */
  function postingsOf(draft: SegmentDraft, order: Uint32Array): Pick<SegmentColumns, 'terms' | 'ends' | 'postings'> {
    let occurring = new Uint32Array(1024);
    let found = 0;
    let pairs = 0;
    forEachTerm(draft, order, (term) => {
      if (counts[term]!++ === 0) {
        occurring = withCapacity(occurring, found + 1);
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
      counts = withCapacity(counts, terms);
      seenBy = withCapacity(seenBy, terms);
      const order = hashOrder(draft);
      const starts = new Uint32Array(draft.posts + 1);
      const words = varintWriter(draft.length * 2 + 16);
      for (let at = 0; at < order.length; at++) {
        const post = order[at]!;
        const from = post === 0 ? 0 : draft.ends[post - 1]!;
        const to = draft.ends[post]!;
        reserveNumbers(words, to - from);
        for (let token = from; token < to; token++) writeVarint(words, draft.tokens[token]!);
        starts[at + 1] = words.length;
      }
      return {
        hashes: reorder(order, draft.hashes),
        createdAt: reorder(order, draft.createdAt),
        countries: reorder(order, draft.countries),
        languages: reorder(order, draft.languages),
        users: reorder(order, draft.users),
        starts,
        words: words.bytes.subarray(0, words.length),
        ...postingsOf(draft, order),
      };
    },
  };
}

function reorder<A extends NumberArray>(order: Uint32Array, column: A): A {
  const make = column.constructor as new (length: number) => A;
  const sorted = new make(order.length);
  for (let at = 0; at < order.length; at++) sorted[at] = column[order[at]!]!;
  return sorted;
}

function writeDifferences(writer: VarintWriter, posts: Uint32Array, from: number, to: number): void {
  reserveNumbers(writer, to - from);
  let before = 0;
  for (let at = from; at < to; at++) {
    writeVarint(writer, posts[at]! - before);
    before = posts[at]!;
  }
}

/** The posts of a draft in the order of their hashes. */
function hashOrder({ posts, hashes }: SegmentDraft): Uint32Array {
  // Hash and index in one number: typed arrays sort numbers fast.
  const room = 2 ** 21;
  if (posts > room) throw new Error('a segment can have at most two million posts');
  const keys = new Float64Array(posts);
  for (let post = 0; post < posts; post++) keys[post] = hashes[post]! * room + post;
  keys.sort();
  return Uint32Array.from(keys, (key) => key % room);
}
