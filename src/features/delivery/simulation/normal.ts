const OVER = [
  ...[3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871],
  ...[221.213596169931, 220.206867912376],
];
const UNDER = [
  ...[8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674],
  ...[637.333633378831, 793.826512519948, 440.413735824752],
];

/** Standard normal CDF; about 14 digits, 8 far out in the tails. */
export function normalCdf(x: number): number {
  const size = Math.abs(x);
  if (size > 37) return x < 0 ? 0 : 1;
  const above = Math.exp((-size * size) / 2) * (size < 7.07106781186547 ? ratio(size) : tail(size));
  return x < 0 ? above : 1 - above;
}

function ratio(x: number): number {
  return polynomial(OVER, x) / polynomial(UNDER, x);
}

function tail(x: number): number {
  return 1 / (x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))))) / 2.506628274631;
}

const CENTRAL_OVER = [
  ...[-3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1],
  2.506628277459239,
];
const CENTRAL_UNDER = [
  ...[-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1],
  1,
];
const TAIL_OVER = [
  ...[-7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968],
  2.938163982698783,
];
const TAIL_UNDER = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];
const TAIL = 0.02425;

/** Standard normal quantile (inverse CDF); about 9 digits, clamped to ±6. */
export function normalQuantile(share: number): number {
  if (share <= 1e-9) return -6;
  if (share >= 1 - 1e-9) return 6;
  if (share < TAIL) return ofTail(share);
  if (share > 1 - TAIL) return -ofTail(1 - share);
  const from = share - 0.5;
  const square = from * from;
  return (from * polynomial(CENTRAL_OVER, square)) / polynomial(CENTRAL_UNDER, square);
}

function ofTail(share: number): number {
  const size = Math.sqrt(-2 * Math.log(share));
  return polynomial(TAIL_OVER, size) / polynomial(TAIL_UNDER, size);
}

function polynomial(factors: readonly number[], x: number): number {
  let sum = factors[0]!;
  for (let at = 1; at < factors.length; at++) sum = sum * x + factors[at]!;
  return sum;
}
