/**
 * Divides an integer in proportion to weights by the largest-remainder method; ties go to the first. If all weights are 0,
 * the first part gets everything.
 * @param parts receives the result; resized as needed
 */
export function apportion(total: number, weights: readonly number[], parts: number[] = []): number[] {
  const { length } = weights;
  parts.length = length;
  let sum = 0;
  for (let index = 0; index < length; index++) sum += weights[index]!;
  if (sum <= 0 || total <= 0 || length === 1) return allToFirst(total, parts);
  let rest = total;
  for (let index = 0; index < length; index++) {
    const part = Math.min(Math.floor(total * (weights[index]! / sum)), rest);
    parts[index] = part;
    rest -= part;
  }
  if (rest > 0) giveRest(total, weights, sum, parts, rest);
  return parts;
}

function allToFirst(total: number, parts: number[]): number[] {
  for (let index = 0; index < parts.length; index++) parts[index] = index === 0 ? total : 0;
  return parts;
}

/** Buffer for the remainders of rounding down. */
const remainders: number[] = [];

function giveRest(total: number, weights: readonly number[], sum: number, parts: number[], rest: number): void {
  const { length } = parts;
  for (let index = 0; index < length; index++) remainders[index] = total * (weights[index]! / sum) - parts[index]!;
  for (let left = rest; left > 0; left--) {
    let best = 0;
    for (let index = 1; index < length; index++) if (remainders[index]! > remainders[best]!) best = index;
    // All have received one unit: start over.
    if (remainders[best]! < 0) {
      remainders.fill(0, 0, length);
      best = 0;
    }
    parts[best]! += 1;
    remainders[best] = -1;
  }
}

/** Returns `amount × part / whole`, rounded down, exact for integers with large products. */
export function proportion(amount: number, part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return amount;
  const each = Math.floor(amount / whole);
  return each * part + Math.floor(((amount - each * whole) * part) / whole);
}

/**
 * Divides an integer in proportion to weights by systematic sampling: each part is its share rounded down or up, and exact on
 * average, so that rare parts occur too.
 * @param drawn from 0 to below 1
 * @param parts receives the result; resized as needed
 */
export function apportionAt(total: number, weights: readonly number[], drawn: number, parts: number[] = []): number[] {
  const { length } = weights;
  parts.length = length;
  let sum = 0;
  let last = 0;
  for (let index = 0; index < length; index++) {
    sum += weights[index]!;
    if (weights[index]! > 0) last = index;
  }
  if (sum <= 0 || total <= 0) return allToFirst(total, parts);
  let weight = 0;
  let dealt = 0;
  for (let index = 0; index < length; index++) {
    weight += weights[index]!;
    const until = index >= last ? total : Math.min(total, Math.floor(total * (weight / sum) + drawn));
    parts[index] = Math.max(0, until - dealt);
    dealt += parts[index]!;
  }
  return parts;
}
