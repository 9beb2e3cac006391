import { type NumberArray, withCapacity } from './growing-array.ts';
import type { SegmentDraft } from './segment-draft.ts';

/** The columns of a segment. */
export interface SegmentColumns {
  readonly hashes: Uint32Array;
  readonly createdAt: Uint32Array;
  readonly countries: Uint16Array;
  readonly languages: Uint16Array;
  readonly users: BigUint64Array;
  /** The start of the tokens of each post in `words`, and the end of the last ones. */
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

/**
 * Converts drafts to columns, reusing its buffers. Posts are sorted by the hash of their ids, so that any prefix of a
 * segment is a random sample.
 * @source decision 314
 */
export class SegmentWriter {
  // By term: its number of posts, then the index for its next post; and the last post that contained it.
  #counts = new Uint32Array();
  #seenBy = new Uint32Array();

  /** Converts a draft whose term numbers are below `terms`. */
  arrange(draft: SegmentDraft, terms: number): SegmentColumns {
    this.#counts = withCapacity(this.#counts, terms);
    this.#seenBy = withCapacity(this.#seenBy, terms);
    const order = hashOrder(draft);
    const starts = new Uint32Array(draft.posts + 1);
    const words = new VarintWriter(draft.length * 2 + 16);
    for (let at = 0; at < order.length; at++) {
      const post = order[at]!;
      const from = startOf(draft, post);
      const to = draft.ends[post]!;
      words.reserve(to - from);
      for (let token = from; token < to; token++) words.write(draft.tokens[token]!);
      starts[at + 1] = words.length;
    }
    return {
      hashes: reorder(order, draft.hashes),
      createdAt: reorder(order, draft.createdAt),
      countries: reorder(order, draft.countries),
      languages: reorder(order, draft.languages),
      users: reorder(order, draft.users),
      starts,
      words: words.written,
      ...this.#postingsOf(draft, order),
    };
  }

  /** Builds the inverted index. */
  #postingsOf(draft: SegmentDraft, order: Uint32Array): Pick<SegmentColumns, 'terms' | 'ends' | 'postings'> {
    const counts = this.#counts;
    let occurring = new Uint32Array(1024);
    let found = 0;
    let pairs = 0;
    this.#forEachTerm(draft, order, (term) => {
      if (counts[term]!++ === 0) {
        occurring = withCapacity(occurring, found + 1);
        occurring[found++] = term;
      }
      pairs += 1;
    });
    const terms = occurring.slice(0, found).sort();
    let next = 0;
    for (const term of terms) {
      const count = counts[term]!;
      counts[term] = next;
      this.#seenBy[term] = 0;
      next += count;
    }
    const posts = new Uint32Array(pairs);
    this.#forEachTerm(draft, order, (term, at) => {
      posts[counts[term]!++] = at;
    });
    const ends = new Uint32Array(found);
    const postings = new VarintWriter(pairs * 2 + 16);
    let from = 0;
    for (let index = 0; index < found; index++) {
      const term = terms[index]!;
      postings.writeDifferences(posts, from, counts[term]!);
      from = counts[term]!;
      ends[index] = postings.length;
      counts[term] = 0;
      this.#seenBy[term] = 0;
    }
    return { terms, ends, postings: postings.written };
  }

  /** Visits each distinct term of each post, in the new order of posts. */
  #forEachTerm(draft: SegmentDraft, order: Uint32Array, visit: (term: number, at: number) => void): void {
    const seenBy = this.#seenBy;
    for (let at = 0; at < order.length; at++) {
      const post = order[at]!;
      const to = draft.ends[post]!;
      for (let token = startOf(draft, post); token < to; token++) {
        const term = draft.tokens[token]!;
        if (seenBy[term] === at + 1) continue;
        seenBy[term] = at + 1;
        visit(term, at);
      }
    }
  }
}

/** Returns where the tokens of a post start. */
function startOf({ ends }: SegmentDraft, post: number): number {
  return post === 0 ? 0 : ends[post - 1]!;
}

function reorder<A extends NumberArray>(order: Uint32Array, column: A): A {
  const make = column.constructor as new (length: number) => A;
  const sorted = new make(order.length);
  for (let at = 0; at < order.length; at++) sorted[at] = column[order[at]!]!;
  return sorted;
}

/** Writes 32-bit varints: seven bits a byte, lowest first; the high bit means that more bytes follow. */
class VarintWriter {
  #bytes: Uint8Array;
  length = 0;

  /** @param room the initial capacity in bytes */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  /** Reserves room for further numbers. */
  reserve(numbers: number): void {
    this.#bytes = withCapacity(this.#bytes, this.length + numbers * 5);
  }

  /** Writes a number; call `reserve` before. */
  write(number: number): void {
    const bytes = this.#bytes;
    let rest = number;
    let at = this.length;
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.length = at;
  }

  writeDifferences(ascending: Uint32Array, from: number, to: number): void {
    this.reserve(to - from);
    let before = 0;
    for (let at = from; at < to; at++) {
      this.write(ascending[at]! - before);
      before = ascending[at]!;
    }
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
