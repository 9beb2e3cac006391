import { withCapacity } from './growing-array.ts';

/** Marks the end of a text; no term has this number. */
export const TEXT_END = 0xffff_ffff;

/** The texts of sampled posts as term numbers. */
export class SampleTexts {
  posts = 0;
  /** The terms of all texts, in order; `TEXT_END` follows each text. */
  terms = new Uint32Array();
  length = 0;
  /** The number of posts of each language. */
  readonly languages = new Uint32Array(1024);

  /** Adds the first `length` of these terms as a text. */
  add(terms: Uint32Array, length: number, language: number): void {
    this.terms = withCapacity(this.terms, this.length + length + 1);
    for (let at = 0; at < length; at++) this.terms[this.length + at] = terms[at]!;
    this.length += length;
    this.terms[this.length++] = TEXT_END;
    this.posts += 1;
    this.languages[language]! += 1;
  }
}

/** A term of indexed texts. */
interface IndexedTerm {
  /** The number of texts that contain it. */
  texts: number;
  /** The number of the last text with it; later the end of its positions in the list of all. */
  end: number;
  places: number;
}

/** Texts with an index of the positions of each term. */
export class IndexedTexts {
  readonly posts: number;
  readonly #texts: Uint32Array;
  readonly #terms = new Map<number, IndexedTerm>();
  readonly #places: Uint32Array;

  constructor({ posts, terms, length }: SampleTexts) {
    this.posts = posts;
    this.#texts = terms.slice(0, length);
    this.#countPlaces();
    let total = 0;
    for (const term of this.#terms.values()) {
      term.end = total;
      total += term.places;
    }
    this.#places = new Uint32Array(total);
    for (let at = 0; at < length; at++) {
      const term = this.#terms.get(terms[at]!);
      if (term) this.#places[term.end++] = at;
    }
  }

  #countPlaces(): void {
    let text = 1;
    for (const term of this.#texts) {
      if (term === TEXT_END) {
        text += 1;
        continue;
      }
      let found = this.#terms.get(term);
      if (!found) {
        found = { texts: 0, end: 0, places: 0 };
        this.#terms.set(term, found);
      }
      found.places += 1;
      if (found.end === text) continue;
      found.end = text;
      found.texts += 1;
    }
  }

  /** Counts the texts that contain a term. */
  countOf(term: number): number {
    return this.#terms.get(term)?.texts ?? 0;
  }

  /** Counts the texts that contain two adjacent terms. */
  countPair(first: number, second: number): number {
    const term = this.#terms.get(first);
    if (!term) return 0;
    let count = 0;
    /** The end of the last counted text. */
    let counted = 0;
    for (let index = term.end - term.places; index < term.end; index++) {
      const at = this.#places[index]!;
      if (this.#texts[at + 1] !== second || at < counted) continue;
      count += 1;
      counted = this.#texts.indexOf(TEXT_END, at);
    }
    return count;
  }
}
