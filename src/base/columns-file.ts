import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** An array in a file. */
export type Section = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** The arrays in a file, by name. */
export type Sections = Readonly<Record<string, Section>>;

interface Place {
  readonly type: keyof typeof ARRAYS;
  readonly at: number;
  readonly length: number;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array } as const;
const HEAD_BYTES = 16;
const MAGIC = 'COLUMNS1';

/** Writes a table of contents, then the arrays. */
export function writeSections(path: string, sections: Sections): void {
  const places: Record<string, Place> = {};
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

/** Reads a file of `writeSections`: arrays over one buffer. @throws when the file is incomplete */
export function readSections(path: string): Sections {
  const bytes = readFileSync(path);
  // The buffer of a small file comes from a shared pool, where typed arrays may be misaligned.
  const memory = bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(new Uint8Array(bytes));
  if (memory.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('not a file of columns');
  const tableBytes = memory.readUInt32LE(MAGIC.length);
  const table = JSON.parse(memory.toString('utf8', HEAD_BYTES, HEAD_BYTES + tableBytes)) as Record<string, Place>;
  const from = memory.byteOffset + HEAD_BYTES + aligned(tableBytes);
  return Object.fromEntries(
    Object.entries(table).map(([name, { type, at, length }]) => [
      name,
      new ARRAYS[type](memory.buffer as ArrayBuffer, from + at, length),
    ]),
  );
}

/** A file whose sections are read one by one. It stays readable after it is removed or replaced. */
export interface SectionFile {
  /** Size of a section in bytes. */
  bytesOf(name: string): number;
  /** Reads a section into its own buffer. */
  read(name: string): Section;
  close(): void;
}

/** Opens a file of `writeSections`. @throws when it has another format */
export function openSections(path: string): SectionFile {
  const file = openSync(path, 'r');
  try {
    const head = readWhole(file, HEAD_BYTES, 0);
    if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error(`${path} is no file of columns`);
    const tableBytes = head.readUInt32LE(MAGIC.length);
    const table = JSON.parse(readWhole(file, tableBytes, HEAD_BYTES).toString()) as Record<string, Place>;
    const from = HEAD_BYTES + aligned(tableBytes);
    const bytesOf = (name: string): number => table[name]!.length * ARRAYS[table[name]!.type].BYTES_PER_ELEMENT;
    return {
      bytesOf,
      read(name) {
        const { type, at, length } = table[name]!;
        const { buffer, byteOffset } = readWhole(file, bytesOf(name), from + at);
        return new ARRAYS[type](buffer, byteOffset, length);
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readWhole(file: number, length: number, at: number): Buffer<ArrayBuffer> {
  // Its own buffer, because typed arrays must be aligned to their element size.
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let done = 0; done < length; ) {
    const got = readSync(file, bytes, done, length - done, at + done);
    if (got === 0) throw new Error('a file of columns ends too soon');
    done += got;
  }
  return bytes;
}

function typeOf(array: Section): Place['type'] {
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
