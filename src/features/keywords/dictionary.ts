import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type NumberArray, withCapacity } from './growing-array.ts';

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
  /** Loads the terms that the files in a folder have in addition. @throws when the files have fewer */
  read(folder: string, upTo: DictionarySize): void;
  /** Writes the terms beyond those stored in the files of a folder; durable on return. */
  append(folder: string, stored: DictionarySize): void;
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
  /** Keeps the hash table at most half full. */
  const ensureCapacity = (wanted: number): void => {
    if (wanted * 2 <= mask) return;
    const old = slots;
    let length = 1024;
    while (length <= wanted * 4) length *= 2;
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
    read(folder, upTo) {
      const used = begin(terms);
      units = withCapacity(units, upTo.units);
      ends = withCapacity(ends, upTo.terms);
      readNumbers(join(folder, FILES.units), units.subarray(used, upTo.units), used);
      readNumbers(join(folder, FILES.ends), ends.subarray(terms, upTo.terms), terms);
      ensureCapacity(upTo.terms);
      for (; terms < upTo.terms; terms++) insertStored(terms);
    },
    append(folder, stored) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeNumbers(join(folder, FILES.units), units.subarray(stored.units, begin(terms)), stored.units);
      writeNumbers(join(folder, FILES.ends), ends.subarray(stored.terms, terms), stored.terms);
    },
  };
}

function mixHash(hash: number, unit: number): number {
  const next = Math.imul(hash ^ unit, 0x01000193);
  return next ^ (next >>> 15);
}

const FILES = { units: 'terms.units', ends: 'terms.ends' } as const;

/** Writes numbers at an index of a file, and truncates it after them. */
function writeNumbers(path: string, numbers: NumberArray, from: number): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    if (fstatSync(file).size < from * numbers.BYTES_PER_ELEMENT) throw new Error(`${path} is truncated`);
    // Left behind by a process that crashed before it wrote the manifest.
    ftruncateSync(file, from * numbers.BYTES_PER_ELEMENT);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads numbers at an index of a file. */
function readNumbers(path: string, numbers: NumberArray, from: number): void {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  if (bytes.length === 0) return;
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < bytes.length; ) {
      const got = readSync(file, bytes, done, bytes.length - done, from * numbers.BYTES_PER_ELEMENT + done);
      if (got === 0) throw new Error(`${path} is truncated`);
      done += got;
    }
  } finally {
    closeSync(file);
  }
}
