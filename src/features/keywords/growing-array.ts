/** The arrays that numbers are kept in. */
export type NumberArray = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** An array that is at least so long, with what was in the old one: twice as long as that when it must grow. */
export function grown<A extends NumberArray>(array: A, length: number): A {
  if (length <= array.length) return array;
  const make = array.constructor as new (length: number) => A;
  const longer = new make(Math.max(length, array.length * 2, 1024));
  (longer as Uint8Array).set(array as Uint8Array);
  return longer;
}
