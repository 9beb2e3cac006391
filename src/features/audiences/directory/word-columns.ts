import type { Sections } from '../../../base/columns-file.ts';
import { growingCodes, growingNumbers } from './growing-numbers.ts';

/** The distinct values of a column, each with a code; code 0 means no value. */
export interface ValueCodes {
  readonly size: number;
  /** Returns the code of a value; undefined if no person has it. */
  find(text: string): number | undefined;
  /** Returns the value of a code; undefined for code 0. */
  valueOf(code: number): string | undefined;
}

/** Maximum number of distinct values of a word column, whose codes have 16 bits. */
const VALUES_MAX = 65_535;

/** Creates a writer of a column with one value per person. @throws if there are too many distinct values */
export function wordWriter() {
  const codes = new Map<string, number>();
  const column = growingCodes();
  return {
    push(word: string | null): void {
      column.push(word === null ? 0 : codeOf(codes, word));
      if (codes.size > VALUES_MAX) throw new Error(`a column has more than ${VALUES_MAX} distinct values`);
    },
    sections(name: string): Sections {
      const { table, sorted } = sortCodes(codes);
      const view = column.view();
      for (let index = 0; index < view.length; index++) view[index] = sorted[view[index]!]!;
      return { [`${name}.values`]: table, [name]: view };
    },
  };
}

/** Creates a writer of a column with several values per person. */
export function listWriter() {
  const codes = new Map<string, number>();
  const starts = growingNumbers();
  const members = growingNumbers();
  const inverted = (name: string) => {
    const { table, sorted } = sortCodes(codes);
    const of = members.view();
    for (let at = 0; at < of.length; at++) of[at] = sorted[of[at]!]!;
    starts.push(of.length);
    const ofStarts = starts.view();
    const { haveStarts, have } = invert(ofStarts, of, codes.size);
    const sections = { [`${name}.values`]: table, [`${name}.have.starts`]: haveStarts, [`${name}.have`]: have };
    return { sections, ofStarts, of };
  };
  return {
    push(texts: readonly string[]): void {
      starts.push(members.length);
      for (const text of texts) members.push(codeOf(codes, text));
    },
    /** Returns the people with each value. */
    sections: (name: string): Sections => inverted(name).sections,
    /** Returns the people with each value, and the values of each person. */
    sectionsBothWays(name: string): Sections {
      const { sections, ofStarts, of } = inverted(name);
      const narrow = codes.size <= VALUES_MAX ? new Uint16Array(of) : of;
      return { ...sections, [`${name}.of.starts`]: ofStarts, [`${name}.of`]: narrow };
    },
  };
}

/** Inverts lists by person into lists by code, with people ascending. */
function invert(starts: Uint32Array, of: Uint32Array, values: number) {
  const haveStarts = new Uint32Array(values + 2);
  for (const code of of) haveStarts[code + 1]! += 1;
  for (let code = 1; code < haveStarts.length; code++) haveStarts[code]! += haveStarts[code - 1]!;
  const next = haveStarts.slice();
  const have = new Uint32Array(of.length);
  for (let person = 0; person + 1 < starts.length; person++) {
    for (let at = starts[person]!; at < starts[person + 1]!; at++) have[next[of[at]!]!++] = person;
  }
  return { haveStarts, have };
}

function codeOf(codes: Map<string, number>, text: string): number {
  let code = codes.get(text);
  if (code === undefined) {
    code = codes.size + 1;
    codes.set(text, code);
  }
  return code;
}

/** Returns the sorted values, one per line, and a map from insertion codes to final codes in sort order. */
function sortCodes(codes: ReadonlyMap<string, number>): { table: Uint8Array; sorted: Uint32Array } {
  const texts = [...codes.keys()].sort();
  const sorted = new Uint32Array(codes.size + 1);
  for (const [index, text] of texts.entries()) sorted[codes.get(text)!] = index + 1;
  return { table: new Uint8Array(Buffer.from(texts.join('\n'))), sorted };
}

/** Reads the values that `sortCodes` wrote. */
export function readValueCodes(table: Uint8Array): ValueCodes {
  const texts = table.length === 0 ? [] : Buffer.from(table).toString('utf8').split('\n');
  return {
    size: texts.length,
    find(text) {
      let low = 0;
      let high = texts.length - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        if (texts[middle] === text) return middle + 1;
        if (texts[middle]! < text) low = middle + 1;
        else high = middle - 1;
      }
      return undefined;
    },
    valueOf: (code) => texts[code - 1],
  };
}
