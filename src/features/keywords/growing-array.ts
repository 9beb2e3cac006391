/** The typed arrays that columns use. */
export type NumberArray = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Returns the array if it is long enough, otherwise a copy of at least twice the length. */
export function withCapacity<A extends NumberArray>(array: A, length: number): A {
  if (length <= array.length) return array;
  const make = array.constructor as new (length: number) => A;
  const longer = new make(Math.max(length, array.length * 2, 1024));
  (longer as Uint8Array).set(array as Uint8Array);
  return longer;
}
