import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { csvReader, type Separator } from '../../../base/csv.ts';
import {
  type Column,
  identifiersOf,
  type PersonIdentifiers,
} from '../../../features/audiences/uploads/people-columns.ts';

/** The beginning of a file. */
export interface FileHead {
  readonly separator: Separator;
  readonly names: readonly string[];
  /** The first rows, for people to recognise the columns. */
  readonly samples: readonly (readonly string[])[];
}

/** A part of a file, as it is sent. */
export interface Part {
  /** The people, hashed: the members of `users`. */
  readonly people: readonly PersonIdentifiers[];
  /** Rows of the file up to the end of the part, without the names of columns. */
  readonly rows: number;
  /** Rows of the part without any valid identifier. */
  readonly skipped: number;
  /** Bytes of the file that were read. */
  readonly bytes: number;
}

/** How much of a file is read to know its columns. */
const HEAD_BYTES = 64 * 1024;
const SAMPLES = 3;
/** Parts are small enough to show how far it is, and large enough to be few. */
const PART_BYTES = 1_000_000;

/** Reads the names of columns and the first rows. @throws CsvError, or TypeError where it is not UTF-8 */
export async function readHead(file: File): Promise<FileHead> {
  const isWhole = file.size <= HEAD_BYTES;
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer();
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  const separator = separatorOf(text);
  const reader = csvReader(separator);
  const [names = [], ...samples] = [...reader.push(text), ...(isWhole ? reader.end() : [])];
  return { separator, names, samples: samples.slice(0, SAMPLES) };
}

/** The separator that the first line has most of. */
function separatorOf(text: string): Separator {
  const line = /^[^\r\n]*/.exec(text)![0];
  const count = (separator: Separator): number => line.split(separator).length;
  return ([';', '\t'] as const).reduce<Separator>((best, each) => (count(each) > count(best) ? each : best), ',');
}

/** Reads and hashes the people after a row, a part at a time: only hashes leave this function. */
export async function* readParts(
  file: File,
  {
    separator,
    columns,
    after,
  }: {
    readonly separator: Separator;
    readonly columns: readonly (Column | undefined)[];
    readonly after: number;
  },
): AsyncGenerator<Part> {
  const reader = csvReader(separator);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let row = -1;
  let bytes = 0;
  let people: PersonIdentifiers[] = [];
  let size = 0;
  let skipped = 0;
  const take = (values: readonly string[]): void => {
    row += 1;
    // The first has the names of columns.
    if (row === 0 || row <= after) return;
    const person = identifiersOf(columns, values, hexOf);
    if (!person) {
      skipped += 1;
      return;
    }
    people.push(person);
    size += JSON.stringify(person).length + 1;
  };
  const part = (): Part => {
    const made = { people, rows: Math.max(row, 0), skipped, bytes };
    people = [];
    size = 0;
    skipped = 0;
    return made;
  };
  for await (const piece of file.stream()) {
    bytes += piece.length;
    for (const values of reader.push(decoder.decode(piece, { stream: true }))) {
      take(values);
      if (size >= PART_BYTES) yield part();
    }
  }
  for (const values of [...reader.push(decoder.decode()), ...reader.end()]) take(values);
  if (people.length > 0 || skipped > 0) yield part();
}

const hexOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
