/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a JSON value is nested deeper than `max`. Parsing survives any depth, but walking or serializing the value
 * could overflow the stack.
 * @source decision 31
 */
export function isDeeperThan(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return max === 0 || Object.values(value).some((each) => isDeeperThan(each, max - 1));
}
