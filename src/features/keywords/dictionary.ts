import { openSections, writeSections } from '../../base/columns-file.ts';
import { withCapacity } from './growing-array.ts';

/**
 * A dictionary of all terms of posts. A term keeps its number; numbers are assigned in order of first occurrence, so
 * that common terms have small ones. In memory: the code units of all terms, the end of each, and a hash table.
 */
export interface Dictionary {
  readonly size: DictionarySize;
  /** The number of the term `text[from..to]`; -1 when unknown. */
  find(text: string, from: number, to: number): number;
  /** The number of the term, assigned when it is new. */
  add(text: string, from: number, to: number): number;
  text(term: number): string;
  /** Loads the terms that a file has beyond those that are known. @throws when it is damaged, or lacks some before them */
  read(file: TermsFile): void;
  /**
   * Writes the terms from a number on to a new file; durable on return. Those that do not occur any more, by number,
   * keep their numbers without their texts. @source decision 817
   */
  write(path: string, from: number, occurring?: Uint8Array): DictionarySize;
}

/** Terms in a file: see `BuiltTerms` in `manifest.ts`. */
export interface TermsFile extends DictionarySize {
  readonly path: string;
  readonly from: number;
}

/** The number of terms, and of their code units. */
export interface DictionarySize {
  readonly terms: number;
  readonly units: number;
}

const NONE = 0xffff_ffff;
const SEED = 0x811c9dc5 | 0;

/** An empty dictionary. */
export function emptyDictionary(): Dictionary {
  let terms = 0;
  let units: Uint16Array = new Uint16Array();
  /** The end of each term among the code units (exclusive). */
  let ends: Uint32Array = new Uint32Array();
  let mask = 0;
  /** Pairs of a number and the hash of its term, which avoids most comparisons. */
  let slots = new Uint32Array();

  const begin = (term: number): number => (term === 0 ? 0 : ends[term - 1]!);
  const place = (term: number, hash: number): void => {
    let at = hash & mask;
    while (slots[at * 2] !== NONE) at = (at + 1) & mask;
    slots[at * 2] = term;
    slots[at * 2 + 1] = hash;
  };
  /** Keeps the hash table at most two thirds full. */
  const ensureCapacity = (wanted: number): void => {
    if (wanted * 1.5 <= mask) return;
    const old = slots;
    let length = 1024;
    while (length <= wanted * 2) length *= 2;
    slots = new Uint32Array(length * 2).fill(NONE);
    mask = length - 1;
    for (let at = 0; at < old.length; at += 2) if (old[at] !== NONE) place(old[at]!, old[at + 1]!);
  };
  ensureCapacity(1);

  const isSame = (term: number, text: string, from: number, to: number): boolean => {
    const first = begin(term);
    if (ends[term]! - first !== to - from) return false;
    for (let at = 0; at < to - from; at++) if (units[first + at] !== text.charCodeAt(from + at)) return false;
    return true;
  };
  const lookUp = (text: string, from: number, to: number, hash: number): number => {
    for (let at = hash & mask; slots[at * 2] !== NONE; at = (at + 1) & mask) {
      if (slots[at * 2 + 1] === hash && isSame(slots[at * 2]!, text, from, to)) return slots[at * 2]!;
    }
    return -1;
  };
  const hashOfPiece = (text: string, from: number, to: number): number => {
    let hash = SEED;
    for (let at = from; at < to; at++) hash = mixHash(hash, text.charCodeAt(at));
    return hash >>> 0;
  };
  const insertStored = (term: number): void => {
    // A term that lost its text is not found any more.
    if (begin(term) === ends[term]) return;
    let hash = SEED;
    for (let at = begin(term); at < ends[term]!; at++) hash = mixHash(hash, units[at]!);
    place(term, hash >>> 0);
  };

  return {
    get size() {
      return { terms, units: begin(terms) };
    },
    find: (text, from, to) => lookUp(text, from, to, hashOfPiece(text, from, to)),
    add(text, from, to) {
      const hash = hashOfPiece(text, from, to);
      const found = lookUp(text, from, to, hash);
      if (found >= 0) return found;
      let at = begin(terms);
      units = withCapacity(units, at + to - from);
      ends = withCapacity(ends, terms + 1);
      for (let unit = from; unit < to; unit++) units[at++] = text.charCodeAt(unit);
      ends[terms] = at;
      ensureCapacity(terms + 1);
      place(terms, hash);
      terms += 1;
      return terms - 1;
    },
    text: (term) => String.fromCharCode(...units.subarray(begin(term), ends[term]!)),
    read({ path, from, ...upTo }) {
      if (upTo.terms <= terms) return;
      if (from > terms) throw new Error(`${path} begins with term ${from}, and only ${terms} are known`);
      const file = openSections(path);
      try {
        const [storedEnds, storedUnits] = [file.read('ends'), file.read('units')] as [Uint32Array, Uint16Array];
        const isWhole = storedEnds.length === upTo.terms - from && storedEnds.at(-1) === storedUnits.length;
        // Ends are counted from the first of the file.
        const before = from === terms ? 0 : storedEnds[terms - from - 1]!;
        const first = begin(terms) - before;
        if (!isWhole || first + storedUnits.length !== upTo.units) throw new Error(`${path} is damaged`);
        units = withCapacity(units, upTo.units);
        ends = withCapacity(ends, upTo.terms);
        units.set(storedUnits.subarray(before), begin(terms));
        ensureCapacity(upTo.terms);
        for (const end of storedEnds.subarray(terms - from)) {
          ends[terms] = first + end;
          insertStored(terms);
          terms += 1;
        }
      } finally {
        file.close();
      }
    },
    write(path, from, occurring) {
      const first = begin(from);
      const keptUnits = new Uint16Array(begin(terms) - first);
      const keptEnds = new Uint32Array(terms - from);
      let kept = 0;
      for (let term = from; term < terms; term++) {
        if (!occurring || occurring[term] === 1) {
          const text = units.subarray(begin(term), ends[term]!);
          keptUnits.set(text, kept);
          kept += text.length;
        }
        keptEnds[term - from] = kept;
      }
      writeSections(path, { units: keptUnits.subarray(0, kept), ends: keptEnds });
      return { terms, units: first + kept };
    },
  };
}

function mixHash(hash: number, unit: number): number {
  const next = Math.imul(hash ^ unit, 0x01000193);
  return next ^ (next >>> 15);
}
