import { IDENTIFIER_BYTES } from '../../../contract/store/audiences.ts';

/**
 * The packed form of an upload: consecutive operations, all numbers little-endian.
 *
 *     operation: type u8, effective_at u32, expires_at u32, persons u32, persons
 *     person:    identifiers u16, identifiers of 16 bytes
 *
 * Times are Unix seconds; both are always present.
 */

/** The type of an operation that adds its persons. */
export const UPDATE = 0;
/** The type of an operation that removes its persons. */
export const DELETE = 1;

const OPERATION_BYTES = 13;
const PERSON_BYTES = 2;
/** A person with more identifiers is written as several who share the first one, which is equivalent. */
const IDENTIFIERS_MAX = 65_535;
const TIME_MAX = 0xffff_ffff;

/** Writes operations, their persons and identifiers, in order. */
export interface PackedWriter {
  operation(): void;
  /** Sets type and window of the current operation. Times are clamped to 32 bits. */
  setOperation(type: number, effective_at: number, expires_at: number): void;
  person(): void;
  /** Reserves the next identifier; returns its index in `bytes()`, which may be a new array after each call. */
  identifier(): number;
  bytes(): Uint8Array<ArrayBuffer>;
  /** Returns the packed bytes without spare memory. Must be called once, at the end. */
  finish(): Uint8Array<ArrayBuffer>;
}

/** Creates a writer with an initial capacity. */
export function packedWriter(expected: number): PackedWriter {
  let room = new Uint8Array(new ArrayBuffer(Math.max(expected, 256)));
  let end = 0;
  let operationAt = 0;
  let persons = 0;
  let personAt = 0;
  let identifiers = 0;
  const take = (bytes: number): number => {
    const at = end;
    end += bytes;
    if (end > room.length) room = new Uint8Array(room.buffer.transfer(Math.max(end, room.length * 2)));
    return at;
  };
  const closePerson = (): void => {
    if (persons === 0) return;
    room[personAt] = identifiers & 255;
    room[personAt + 1] = identifiers >>> 8;
  };
  const closeOperation = (): void => {
    closePerson();
    if (end > 0) write32(room, operationAt + 9, persons);
  };
  const person = (): void => {
    closePerson();
    personAt = take(PERSON_BYTES);
    identifiers = 0;
    persons += 1;
  };
  const identifier = (): number => {
    if (identifiers === IDENTIFIERS_MAX) {
      const shared = personAt + PERSON_BYTES;
      person();
      const copy = identifier();
      room.copyWithin(copy, shared, shared + IDENTIFIER_BYTES);
    }
    identifiers += 1;
    return take(IDENTIFIER_BYTES);
  };
  return {
    operation() {
      closeOperation();
      operationAt = take(OPERATION_BYTES);
      persons = 0;
    },
    setOperation(type, effective_at, expires_at) {
      room[operationAt] = type;
      write32(room, operationAt + 1, clamp(effective_at));
      write32(room, operationAt + 5, clamp(expires_at));
    },
    person,
    identifier,
    bytes: () => room,
    finish() {
      closeOperation();
      return new Uint8Array(room.buffer.transfer(end));
    },
  };
}

/** Called with the contents of an upload, in order. */
interface PackedVisitor {
  operation(type: number, effective_at: number, expires_at: number, persons: number): void;
  /** @param at index of the first of the consecutive identifiers */
  person(at: number, identifiers: number): void;
}

/** Reads the packed form. @throws RangeError if it is truncated */
export function readPacked(bytes: Uint8Array, reader: PackedVisitor): void {
  const { length } = bytes;
  for (let at = 0; at < length; ) {
    const persons = read32(bytes, at + 9);
    reader.operation(bytes[at]!, read32(bytes, at + 1), read32(bytes, at + 5), persons);
    at += OPERATION_BYTES;
    for (let person = 0; person < persons; person++) {
      const identifiers = bytes[at]! | (bytes[at + 1]! << 8);
      const next = at + PERSON_BYTES + identifiers * IDENTIFIER_BYTES;
      if (next > length) throw new RangeError('a packed upload is truncated');
      reader.person(at + PERSON_BYTES, identifiers);
      at = next;
    }
  }
}

/** Clamps a time to 32-bit Unix seconds. @source decision 275 */
function clamp(time_s: number): number {
  return Math.min(Math.max(time_s, 0), TIME_MAX);
}

function write32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 255;
  bytes[at + 1] = (value >>> 8) & 255;
  bytes[at + 2] = (value >>> 16) & 255;
  bytes[at + 3] = value >>> 24;
}

function read32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
