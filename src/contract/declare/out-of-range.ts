import type { ErrorDetail } from '../problems/problems.ts';

/** The error for a number outside its bounds. @source creatives 1.3; decision 588 */
export function outOfRange(
  parameter: string,
  { min, max, raw }: { readonly min: number; readonly max: number; readonly raw: string | number },
): ErrorDetail {
  const details = 'value out of range';
  return { problem: 'OUT_OF_RANGE', parameter, words: { min, max, raw }, details, value: String(raw) };
}
