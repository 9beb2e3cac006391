import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { grown, type NumberArray } from './growing-array.ts';

/**
 * Every term of the posts, by a number that it keeps: numbers are given in the order in which terms are first met, so that
 * common ones are small. In memory: the code units of all terms, where each ends, and a table of hashes.
 */
export interface Dictionary {
  readonly size: DictionarySize;
  /** The number of a piece of a text; -1 when it is none. */
  find(text: string, from: number, to: number): number;
  /** The same, and a new number when it has none. */
  add(text: string, from: number, to: number): number;
  text(term: number): string;
  /** Reads from the files of a folder what they have beyond it. @throws when they have less */
  read(folder: string, upTo: DictionarySize): void;
  /** Writes what it has beyond what counts of the files of a folder; on disk when this is done. */
  append(folder: string, kept: DictionarySize): void;
}

/** How many terms there are, and how many code units they have. */
export interface DictionarySize {
  readonly terms: number;
  readonly units: number;
}

const NONE = 0xffff_ffff;
const SEED = 0x811c9dc5 | 0;

/** A dictionary without terms. */
export function emptyDictionary(): Dictionary {
  let terms = 0;
  let units: Uint16Array = new Uint16Array();
  /** Behind the last code unit of each term. */
  let ends: Uint32Array = new Uint32Array();
  let mask = 0;
  /** Pairs: a number, and the hash of its term, which spares most looks at the term itself. */
  let slots = new Uint32Array();

  const begin = (term: number): number => (term === 0 ? 0 : ends[term - 1]!);
  const place = (term: number, hash: number): void => {
    let at = hash & mask;
    while (slots[at * 2] !== NONE) at = (at + 1) & mask;
    slots[at * 2] = term;
    slots[at * 2 + 1] = hash;
  };
  /** Makes sure that the table is half empty. */
  const makeRoom = (wanted: number): void => {
    if (wanted * 2 <= mask) return;
    const old = slots;
    let length = 1024;
    while (length <= wanted * 4) length *= 2;
    slots = new Uint32Array(length * 2).fill(NONE);
    mask = length - 1;
    for (let at = 0; at < old.length; at += 2) if (old[at] !== NONE) place(old[at]!, old[at + 1]!);
  };
  makeRoom(1);

  const isSame = (term: number, text: string, from: number, to: number): boolean => {
    const first = begin(term);
    if (ends[term]! - first !== to - from) return false;
    for (let at = 0; at < to - from; at++) if (units[first + at] !== text.charCodeAt(from + at)) return false;
    return true;
  };
  const look = (text: string, from: number, to: number, hash: number): number => {
    for (let at = hash & mask; slots[at * 2] !== NONE; at = (at + 1) & mask) {
      if (slots[at * 2 + 1] === hash && isSame(slots[at * 2]!, text, from, to)) return slots[at * 2]!;
    }
    return -1;
  };
  const hashOfPiece = (text: string, from: number, to: number): number => {
    let hash = SEED;
    for (let at = from; at < to; at++) hash = mixed(hash, text.charCodeAt(at));
    return hash >>> 0;
  };
  const enter = (term: number): void => {
    let hash = SEED;
    for (let at = begin(term); at < ends[term]!; at++) hash = mixed(hash, units[at]!);
    place(term, hash >>> 0);
  };

  return {
    get size() {
      return { terms, units: begin(terms) };
    },
    find: (text, from, to) => look(text, from, to, hashOfPiece(text, from, to)),
    add(text, from, to) {
      const hash = hashOfPiece(text, from, to);
      const found = look(text, from, to, hash);
      if (found >= 0) return found;
      let at = begin(terms);
      units = grown(units, at + to - from);
      ends = grown(ends, terms + 1);
      for (let unit = from; unit < to; unit++) units[at++] = text.charCodeAt(unit);
      ends[terms] = at;
      makeRoom(terms + 1);
      place(terms, hash);
      terms += 1;
      return terms - 1;
    },
    text: (term) => String.fromCharCode(...units.subarray(begin(term), ends[term]!)),
    read(folder, upTo) {
      const used = begin(terms);
      units = grown(units, upTo.units);
      ends = grown(ends, upTo.terms);
      readNumbers(join(folder, FILES.units), units.subarray(used, upTo.units), used);
      readNumbers(join(folder, FILES.ends), ends.subarray(terms, upTo.terms), terms);
      makeRoom(upTo.terms);
      for (; terms < upTo.terms; terms++) enter(terms);
    },
    append(folder, kept) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeNumbers(join(folder, FILES.units), units.subarray(kept.units, begin(terms)), kept.units);
      writeNumbers(join(folder, FILES.ends), ends.subarray(kept.terms, terms), kept.terms);
    },
  };
}

function mixed(hash: number, unit: number): number {
  const next = Math.imul(hash ^ unit, 0x01000193);
  return next ^ (next >>> 15);
}

const FILES = { units: 'terms.units', ends: 'terms.ends' } as const;

/** Writes numbers from a place in a file on, which they end. */
function writeNumbers(path: string, numbers: NumberArray, from: number): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    if (fstatSync(file).size < from * numbers.BYTES_PER_ELEMENT) throw new Error(`${path} ends too soon`);
    // What a process left behind that did not come to say so.
    ftruncateSync(file, from * numbers.BYTES_PER_ELEMENT);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads numbers from a place in a file on. */
function readNumbers(path: string, numbers: NumberArray, from: number): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  if (bytes.length === 0) return;
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(file, bytes, done, bytes.length - done, from * numbers.BYTES_PER_ELEMENT + done);
      if (got === 0) throw new Error(`${path} ends too soon`);
      done += got;
    }
  } finally {
    closeSync(file);
  }
}
