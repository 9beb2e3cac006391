import { withCapacity } from './growing-array.ts';
import { type SampleTexts, TEXT_END } from './sample-texts.ts';

/** Receives a term, or two in a row, with the number of texts that have it. */
type TermVisitor = (terms: readonly number[], texts: number) => void;

/** Terms in fewer texts are left out. */
const TEXTS_MIN = 2;
/** The same for pairs: more words are two in a row by chance than are frequent by chance. */
const PAIR_TEXTS_MIN = 3;
const SKETCH = 2 ** 16;
const SHIFT = 2 ** 21;

/** Two terms in a row. */
interface Pair {
  /** Numbers of terms among those of the texts. */
  readonly first: number;
  readonly second: number;
  texts: number;
  /** The last text that it was counted in, from 1. */
  seenIn: number;
}

/** By term, its number among those of the texts, from 1; zeros between calls. */
let numbers = new Uint32Array();

/**
 * Counts in how many texts terms below a number occur, each once a text, and pairs: two terms in a row that at least half of
 * the texts with the rarer one have.
 * @source decision 1033
 */
export function countTerms(texts: SampleTexts, size: number, visit: TermVisitor): void {
  numbers = withCapacity(numbers, size);
  const { terms, encoded } = numbered(texts);
  for (const term of terms) numbers[term] = 0;
  const counts = countNumbers(encoded, terms.length);
  for (let number = 1; number < terms.length; number++) {
    if (counts[number]! >= TEXTS_MIN) visit([terms[number]!], counts[number]!);
  }
  for (const pair of findPairs(encoded, counts)) visit([terms[pair.first]!, terms[pair.second]!], pair.texts);
}

/** Numbers the terms of texts in the order in which they occur, from 1. */
function numbered({ terms, length }: SampleTexts): {
  /** By number; the first one is no term. */
  readonly terms: Uint32Array;
  /** The numbers of all terms of the texts, with zeros behind each text. */
  readonly encoded: Uint32Array;
} {
  const encoded = new Uint32Array(length);
  let known = new Uint32Array(1024);
  let count = 1;
  for (let at = 0; at < length; at++) {
    const term = terms[at]!;
    if (term === TEXT_END) continue;
    let number = numbers[term]!;
    if (number === 0) {
      number = count++;
      numbers[term] = number;
      known = withCapacity(known, count);
      known[number] = term;
    }
    encoded[at] = number;
  }
  return { terms: known.subarray(0, count), encoded };
}

/** In how many texts each number occurs; that of zero is zero. */
function countNumbers(encoded: Uint32Array, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  const seenIn = new Uint32Array(size);
  let text = 1;
  for (let at = 0; at < encoded.length; at++) {
    const number = encoded[at]!;
    if (number === 0) text += 1;
    else if (seenIn[number] !== text) {
      seenIn[number] = text;
      counts[number]! += 1;
    }
  }
  return counts;
}

function findPairs(encoded: Uint32Array, counts: Uint32Array): Pair[] {
  // Upper bounds first, because nearly no pair is frequent enough.
  const bounds = new Uint32Array(SKETCH);
  for (let at = 0; at + 1 < encoded.length; at++) bounds[slotOf(encoded[at]!, encoded[at + 1]!)]! += 1;
  const pairs = new Map<number, Pair>();
  let text = 1;
  for (let at = 0; at + 1 < encoded.length; at++) {
    const first = encoded[at]!;
    const second = encoded[at + 1]!;
    if (first === 0) text += 1;
    if (first === 0 || second === 0 || first === second) continue;
    if (!isPair(bounds[slotOf(first, second)]!, counts[first]!, counts[second]!)) continue;
    const key = first * SHIFT + second;
    let pair = pairs.get(key);
    if (!pair) {
      pair = { first, second, texts: 0, seenIn: 0 };
      pairs.set(key, pair);
    }
    if (pair.seenIn !== text) pair.texts += 1;
    pair.seenIn = text;
  }
  return [...pairs.values()].filter(({ first, second, texts }) => isPair(texts, counts[first]!, counts[second]!));
}

/** Whether two terms in a row are in enough of the texts that have one of them. */
function isPair(texts: number, first: number, second: number): boolean {
  return texts >= PAIR_TEXTS_MIN && (texts * 2 >= first || texts * 2 >= second);
}

function slotOf(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 16;
}
