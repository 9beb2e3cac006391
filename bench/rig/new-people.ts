import { randomFillSync } from 'node:crypto';
import { packedWriter, UPDATE } from '../../src/features/audiences/uploads/packed-format.ts';

/** When uploads of benchmarks are accepted, and when their people expire; Unix seconds. */
export const NOW = 1_772_470_000;
export const LATER = NOW + 34_000_000;

/** An upload of so many people that nobody has seen before, with one identifier each. */
export function newPeople(count: number): Uint8Array<ArrayBuffer> {
  const writer = packedWriter(count * 18 + 32);
  writer.operation();
  writer.setOperation(UPDATE, NOW, LATER);
  const identifiers = randomFillSync(new Uint8Array(count * 16));
  for (let person = 0; person < count; person++) {
    writer.person();
    const at = writer.identifier();
    writer.bytes().set(identifiers.subarray(person * 16, person * 16 + 16), at);
  }
  return writer.finish();
}
