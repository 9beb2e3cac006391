import { withCapacity } from './growing-array.ts';

/** A writer of 32-bit varints: seven bits a byte, lowest first; the high bit means that more bytes follow. */
export interface VarintWriter {
  bytes: Uint8Array;
  length: number;
}

/** A writer with an initial capacity in bytes. */
export function varintWriter(room: number): VarintWriter {
  return { bytes: new Uint8Array(room), length: 0 };
}

/** Reserves room for further numbers. */
export function reserveNumbers(writer: VarintWriter, numbers: number): void {
  writer.bytes = withCapacity(writer.bytes, writer.length + numbers * 5);
}

/** Writes a number; call `reserveNumbers` before. */
export function writeVarint(writer: VarintWriter, number: number): void {
  const { bytes } = writer;
  let rest = number;
  let at = writer.length;
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  writer.length = at;
}
