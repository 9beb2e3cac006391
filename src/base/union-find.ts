/**
 * The root of an element in a union-find forest, where `parents` has the parent of each element and a root is its own
 * parent. Shortens the path that it follows.
 */
export function rootOf(parents: Uint32Array, element: number): number {
  let found = element;
  while (parents[found] !== found) {
    parents[found] = parents[parents[found]!]!;
    found = parents[found]!;
  }
  return found;
}
