/**
 * Whether a JSON value is nested deeper than `max`. Reading JSON survives any depth; whoever walks the value, or writes
 * it out again, would run out of stack.
 */
export function isDeeperThan(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return max === 0 || Object.values(value).some((each) => isDeeperThan(each, max - 1));
}
