import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

/** An array in a file. */
export type Section = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** The arrays in a file, by name. */
export type Sections = Readonly<Record<string, Section>>;

interface TableEntry {
  readonly type: keyof typeof ARRAYS;
  readonly at: number;
  readonly length: number;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array } as const;
const HEAD_BYTES = 16;
const MAGIC = 'COLUMNS1';
const NO_BUFFER = new ArrayBuffer(0);

/** Writes a file with a table of contents and the arrays, and syncs it to disk. */
export function writeSections(path: string, sections: Sections): void {
  const places: Record<string, TableEntry> = {};
  let at = 0;
  for (const [name, array] of Object.entries(sections)) {
    places[name] = { type: typeOf(array), at, length: array.length };
    at = aligned(at + array.byteLength);
  }
  const table = Buffer.from(JSON.stringify(places));
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(table.length, MAGIC.length);
  const file = openSync(path, 'w', 0o600);
  writeWhole(file, head);
  writeWhole(file, padded(table));
  for (const array of Object.values(sections)) {
    writeWhole(file, padded(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)));
  }
  fsyncSync(file);
  closeSync(file);
}

/** An open file whose sections are read one by one. It stays readable after it is removed or replaced. */
export interface SectionFile {
  /** Number of elements of a section. */
  lengthOf(name: string): number;
  /** Size of a section in bytes. */
  bytesOf(name: string): number;
  /** Reads a section into its own buffer. */
  read(name: string): Section;
  /** Reads the elements from `from` up to `to` (exclusive) into a buffer, or a new one if that is too small. */
  readPart(name: string, from: number, to: number, into: ArrayBuffer): Section;
  close(): void;
}

/** Opens a file that `writeSections` wrote. Throws if it has another format or is incomplete. */
export function openSections(path: string): SectionFile {
  const file = openSync(path, 'r');
  try {
    const head = readWhole(file, HEAD_BYTES, 0);
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error(`${path} is not a file of columns`);
    const tableBytes = head.readUInt32LE(MAGIC.length);
    const table = JSON.parse(readWhole(file, tableBytes, HEAD_BYTES).toString()) as Record<string, TableEntry>;
    const first = HEAD_BYTES + aligned(tableBytes);
    const bytesOf = (name: string): number => table[name]!.length * ARRAYS[table[name]!.type].BYTES_PER_ELEMENT;
    const end = Object.keys(table).reduce((last, name) => Math.max(last, table[name]!.at + bytesOf(name)), 0);
    if (fstatSync(file).size < first + end) throw new Error(`${path} is incomplete`);
    const readPart: SectionFile['readPart'] = (name, from, to, into) => {
      const { type, at } = table[name]!;
      const width = ARRAYS[type].BYTES_PER_ELEMENT;
      const bytes = (to - from) * width;
      const buffer = bytes <= into.byteLength ? into : new ArrayBuffer(bytes);
      readInto(file, new Uint8Array(buffer, 0, bytes), first + at + from * width);
      return new ARRAYS[type](buffer, 0, to - from);
    };
    return {
      lengthOf: (name) => table[name]!.length,
      bytesOf,
      read: (name) => readPart(name, 0, table[name]!.length, NO_BUFFER),
      readPart,
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readWhole(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length);
  readInto(file, bytes, at);
  return bytes;
}

function readInto(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const got = readSync(file, bytes, done, bytes.length - done, at + done);
    if (got === 0) throw new Error('a file of columns ends too soon');
    done += got;
  }
}

function typeOf(array: Section): TableEntry['type'] {
  if (array instanceof Uint8Array) return 'u8';
  if (array instanceof BigUint64Array) return 'u64';
  return array instanceof Uint16Array ? 'u16' : 'u32';
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function padded(bytes: Uint8Array): Uint8Array {
  if (bytes.length === aligned(bytes.length)) return bytes;
  const wider = new Uint8Array(aligned(bytes.length));
  wider.set(bytes);
  return wider;
}

/** Writes all bytes: the system may write fewer per call. */
export function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
