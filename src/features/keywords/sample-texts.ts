import { withCapacity } from './growing-array.ts';

/** The texts of sampled posts, as terms. */
export interface SampleTexts {
  posts: number;
  /** The terms of all texts, in order; `TEXT_END` follows each text. */
  terms: Uint32Array;
  length: number;
  /** The number of posts of each language. */
  readonly languages: Uint32Array;
}

/** No term has this number. */
export const TEXT_END = 0xffff_ffff;

/** No texts yet. */
export function emptyTexts(): SampleTexts {
  return { posts: 0, terms: new Uint32Array(), length: 0, languages: new Uint32Array(1024) };
}

/** Adds the first `length` of these terms as a text. */
export function addText(texts: SampleTexts, terms: Uint32Array, length: number, language: number): void {
  texts.terms = withCapacity(texts.terms, texts.length + length + 1);
  for (let at = 0; at < length; at++) texts.terms[texts.length + at] = terms[at]!;
  texts.length += length;
  texts.terms[texts.length++] = TEXT_END;
  texts.posts += 1;
  texts.languages[language]! += 1;
}

/** Texts in which the places of a term are found fast. */
export interface IndexedTexts {
  readonly posts: number;
  /** In how many texts a term occurs. */
  countOf(term: number): number;
  /** In how many texts two terms occur in a row. */
  countPair(first: number, second: number): number;
}

/** A term of indexed texts. */
interface IndexedTerm {
  /** The number of texts with it. */
  texts: number;
  /** The place of the last text with it, then the end of its places in the list of all. */
  end: number;
  places: number;
}

/** Indexes texts. */
export function indexTexts({ posts, terms, length }: SampleTexts): IndexedTexts {
  const known = new Map<number, IndexedTerm>();
  for (let at = 0, text = 1; at < length; at++) {
    const term = terms[at]!;
    if (term === TEXT_END) {
      text += 1;
      continue;
    }
    let found = known.get(term);
    if (!found) {
      found = { texts: 0, end: 0, places: 0 };
      known.set(term, found);
    }
    found.places += 1;
    if (found.end === text) continue;
    found.end = text;
    found.texts += 1;
  }
  let total = 0;
  for (const found of known.values()) {
    found.end = total;
    total += found.places;
  }
  const places = new Uint32Array(total);
  for (let at = 0; at < length; at++) {
    const found = known.get(terms[at]!);
    if (found) places[found.end++] = at;
  }
  const kept = terms.slice(0, length);
  return {
    posts,
    countOf: (term) => known.get(term)?.texts ?? 0,
    countPair(first, second) {
      const found = known.get(first);
      if (!found) return 0;
      let count = 0;
      /** Where the last text that was counted ends. */
      let counted = 0;
      for (let index = found.end - found.places; index < found.end; index++) {
        const at = places[index]!;
        if (kept[at + 1] !== second || at < counted) continue;
        count += 1;
        counted = kept.indexOf(TEXT_END, at);
      }
      return count;
    },
  };
}
