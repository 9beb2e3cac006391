import { grown } from './growing-array.ts';

/** Numbers of up to 32 bits, seven bits to a byte, the lowest first; a set highest bit says that more follows. */
export interface VarintWriter {
  bytes: Uint8Array;
  length: number;
}

/** A writer of numbers, with room for some bytes. */
export function varintWriter(room: number): VarintWriter {
  return { bytes: new Uint8Array(room), length: 0 };
}

/** Makes sure of room for so many further numbers. */
export function reserve(writer: VarintWriter, numbers: number): void {
  writer.bytes = grown(writer.bytes, writer.length + numbers * 5);
}

/** Writes a number, for which there is room. */
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
