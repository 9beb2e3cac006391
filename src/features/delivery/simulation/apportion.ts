/**
 * Divides a whole number by weights into whole numbers that add up to it: each gets its share rounded down or up, by the
 * largest remainder, the first one of equal ones. Without weights, the first gets all.
 */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (weights.length === 0) return [];
  if (sum <= 0 || total <= 0) return weights.map((_, index) => (index === 0 ? total : 0));
  const parts: number[] = new Array(weights.length).fill(0);
  const remainders: number[] = new Array(weights.length).fill(0);
  let rest = total;
  for (let index = 0; index < weights.length; index++) {
    const exact = total * (weights[index]! / sum);
    const part = Math.min(Math.floor(exact), rest);
    parts[index] = part;
    remainders[index] = exact - part;
    rest -= part;
  }
  while (rest > 0) {
    let best = 0;
    for (let index = 1; index < weights.length; index++) if (remainders[index]! > remainders[best]!) best = index;
    parts[best] = parts[best]! + 1;
    remainders[best] = -1;
    rest -= 1;
    if (remainders.every((each) => each < 0)) remainders.fill(0);
  }
  return parts;
}

/** `amount × part / whole`, rounded down exactly, for whole numbers whose product may be large. */
export function proportion(amount: number, part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  if (part >= whole) return amount;
  const each = Math.floor(amount / whole);
  return each * part + Math.floor(((amount - each * whole) * part) / whole);
}

/**
 * Divides a whole number by weights into whole numbers that add up to it, at random: each gets its share rounded down or
 * up, and its exact share on average, so that what is rare happens too.
 * @param drawn from 0 to below 1
 */
export function apportionAt(total: number, weights: readonly number[], drawn: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum <= 0) return weights.map((_, index) => (index === 0 ? total : 0));
  let weight = 0;
  let given = 0;
  const last = weights.findLastIndex((each) => each > 0);
  return weights.map((each, index) => {
    weight += each;
    const until = index >= last ? total : Math.min(total, Math.floor(total * (weight / sum) + drawn));
    const part = Math.max(0, until - given);
    given += part;
    return part;
  });
}
