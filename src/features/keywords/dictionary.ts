import { openSections, writeSections } from '../../base/columns-file.ts';
import { piecesOf } from '../../base/words.ts';
import { withCapacity } from './growing-array.ts';

/** Terms in a file; see `BuiltTerms` in `manifest.ts`. */
export interface TermsFile extends DictionarySize {
  readonly path: string;
  readonly from: number;
}

/** The number of terms and of their code units. */
export interface DictionarySize {
  readonly terms: number;
  readonly units: number;
}

const NONE = 0xffff_ffff;
const SEED = 0x811c9dc5 | 0;

/**
 * A dictionary of all terms of posts. A term keeps its number; numbers are assigned in order of first occurrence, so
 * that common terms have small ones. In memory: the code units of all terms, the end of each, and a hash table.
 */
export class Dictionary {
  #terms = 0;
  #units = new Uint16Array();
  /** The end of each term among the code units (exclusive). */
  #ends = new Uint32Array();
  #mask = 0;
  /** Pairs of a number and the hash of its term, which avoids most comparisons. */
  #slots = new Uint32Array();

  constructor() {
    this.#ensureCapacity(1);
  }

  get size(): DictionarySize {
    return { terms: this.#terms, units: this.#begin(this.#terms) };
  }

  /** Returns the number of the term `text[from..to]`; -1 if unknown. */
  find(text: string, from: number, to: number): number {
    return this.#find(text, from, to, hashOf(text, from, to));
  }

  /** Returns the number of the term, which is assigned if it is new. */
  add(text: string, from: number, to: number): number {
    const hash = hashOf(text, from, to);
    const found = this.#find(text, from, to, hash);
    if (found >= 0) return found;
    const term = this.#terms;
    let at = this.#begin(term);
    this.#units = withCapacity(this.#units, at + to - from);
    this.#ends = withCapacity(this.#ends, term + 1);
    for (let unit = from; unit < to; unit++) this.#units[at++] = text.charCodeAt(unit);
    this.#ends[term] = at;
    this.#ensureCapacity(term + 1);
    this.#insert(term, hash);
    this.#terms += 1;
    return term;
  }

  text(term: number): string {
    return String.fromCharCode(...this.#unitsOf(term));
  }

  /** Loads the new terms of a file. @throws if it is damaged, or begins after the known terms */
  read({ path, from, ...upTo }: TermsFile): void {
    const known = this.#terms;
    if (upTo.terms <= known) return;
    if (from > known) throw new Error(`${path} begins with term ${from}, and only ${known} are known`);
    const file = openSections(path);
    try {
      const [ends, units] = [file.read('ends'), file.read('units')] as [Uint32Array, Uint16Array];
      const isWhole = ends.length === upTo.terms - from && ends.at(-1) === units.length;
      // Ends are relative to the first term of the file.
      const before = from === known ? 0 : ends[known - from - 1]!;
      const first = this.#begin(known) - before;
      if (!isWhole || first + units.length !== upTo.units) throw new Error(`${path} is damaged`);
      this.#units = withCapacity(this.#units, upTo.units);
      this.#ends = withCapacity(this.#ends, upTo.terms);
      this.#units.set(units.subarray(before), this.#begin(known));
      this.#ensureCapacity(upTo.terms);
      for (const end of ends.subarray(known - from)) {
        this.#ends[this.#terms] = first + end;
        this.#insertStored(this.#terms);
        this.#terms += 1;
      }
    } finally {
      file.close();
    }
  }

  /**
   * Writes the terms from this number on to a new file, durably. Terms that no longer occur keep their numbers but lose
   * their texts.
   * @source decision 817
   */
  write(path: string, from: number, occurring?: Uint8Array): DictionarySize {
    const terms = this.#terms;
    const first = this.#begin(from);
    const units = new Uint16Array(this.#begin(terms) - first);
    const ends = new Uint32Array(terms - from);
    let length = 0;
    for (let term = from; term < terms; term++) {
      if (!occurring || occurring[term] === 1) {
        const text = this.#unitsOf(term);
        units.set(text, length);
        length += text.length;
      }
      ends[term - from] = length;
    }
    writeSections(path, { units: units.subarray(0, length), ends });
    return { terms, units: first + length };
  }

  #begin(term: number): number {
    return term === 0 ? 0 : this.#ends[term - 1]!;
  }

  #unitsOf(term: number): Uint16Array {
    return this.#units.subarray(this.#begin(term), this.#ends[term]!);
  }

  #find(text: string, from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let at = hash & mask; slots[at * 2] !== NONE; at = (at + 1) & mask) {
      if (slots[at * 2 + 1] === hash && this.#isSame(slots[at * 2]!, text, from, to)) return slots[at * 2]!;
    }
    return -1;
  }

  #isSame(term: number, text: string, from: number, to: number): boolean {
    const units = this.#units;
    const first = this.#begin(term);
    if (this.#ends[term]! - first !== to - from) return false;
    for (let at = 0; at < to - from; at++) if (units[first + at] !== text.charCodeAt(from + at)) return false;
    return true;
  }

  #insert(term: number, hash: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = hash & mask;
    while (slots[at * 2] !== NONE) at = (at + 1) & mask;
    slots[at * 2] = term;
    slots[at * 2 + 1] = hash;
  }

  #insertStored(term: number): void {
    // Terms without text cannot be found.
    if (this.#begin(term) === this.#ends[term]) return;
    let hash = SEED;
    for (const unit of this.#unitsOf(term)) hash = mixHash(hash, unit);
    this.#insert(term, hash >>> 0);
  }

  /** Keeps the hash table at most two thirds full. */
  #ensureCapacity(wanted: number): void {
    if (wanted * 1.5 <= this.#mask) return;
    const old = this.#slots;
    let length = 1024;
    while (length <= wanted * 2) length *= 2;
    this.#slots = new Uint32Array(length * 2).fill(NONE);
    this.#mask = length - 1;
    for (let at = 0; at < old.length; at += 2) if (old[at] !== NONE) this.#insert(old[at]!, old[at + 1]!);
  }
}

/** Finds terms by a word within them, such as `l'eau` by `eau`. */
export class WordParts {
  readonly #byPiece = new Map<string, number[]>();
  #known = 0;

  /** Adds the new terms of a dictionary. */
  extend(dictionary: Dictionary): void {
    const { terms } = dictionary.size;
    for (; this.#known < terms; this.#known++) {
      const pieces = piecesOf(dictionary.text(this.#known));
      if (pieces.length < 2) continue;
      for (const piece of new Set(pieces)) {
        const found = this.#byPiece.get(piece);
        if (found) found.push(this.#known);
        else this.#byPiece.set(piece, [this.#known]);
      }
    }
  }

  /** Returns the terms that may contain a word: those with its first piece. */
  having(word: string): readonly number[] {
    const [first = ''] = piecesOf(word);
    return this.#byPiece.get(first) ?? [];
  }
}

function hashOf(text: string, from: number, to: number): number {
  let hash = SEED;
  for (let at = from; at < to; at++) hash = mixHash(hash, text.charCodeAt(at));
  return hash >>> 0;
}

function mixHash(hash: number, unit: number): number {
  const next = Math.imul(hash ^ unit, 0x01000193);
  return next ^ (next >>> 15);
}
