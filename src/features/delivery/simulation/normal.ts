const OVER = [
  ...[3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871],
  ...[221.213596169931, 220.206867912376],
];
const UNDER = [
  ...[8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674],
  ...[637.333633378831, 793.826512519948, 440.413735824752],
];

/** The share of a standard normal distribution below `x`, to about 14 digits, 8 of them far out in the tails. */
export function normalBelow(x: number): number {
  const size = Math.abs(x);
  if (size > 37) return x < 0 ? 0 : 1;
  const above = Math.exp((-size * size) / 2) * (size < 7.07106781186547 ? ratio(size) : tail(size));
  return x < 0 ? above : 1 - above;
}

function ratio(x: number): number {
  let over = OVER[0]!;
  for (let at = 1; at < OVER.length; at++) over = over * x + OVER[at]!;
  let under = UNDER[0]!;
  for (let at = 1; at < UNDER.length; at++) under = under * x + UNDER[at]!;
  return over / under;
}

function tail(x: number): number {
  return 1 / (x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))))) / 2.506628274631;
}

/** The value of a standard normal distribution below which this share lies, by bisection; from -6 to 6. */
export function normalAt(share: number): number {
  let low = -6;
  let high = 6;
  for (let step = 0; step < 32; step++) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
