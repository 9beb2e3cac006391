/** Spending may run ahead of the day by this part of the budget. @source decision 981 */
const AHEAD = 0.02;

/**
 * Whether a budget that is spent evenly over the day has to wait.
 * @param spent on the day so far, and promised
 * @param elapsed the part of the day's serving time that has passed, 0 to 1
 */
export function isAhead(budget: number, spent: number, elapsed: number): boolean {
  return spent >= budget * Math.min(1, elapsed + AHEAD);
}

/** The part of a local day's serving time that has passed. All times are milliseconds since 1970. */
export function elapsedPart(
  day: { readonly start_ms: number; readonly end_ms: number },
  flight: { readonly from_ms: number; readonly until_ms: number },
  now_ms: number,
): number {
  const from = Math.max(day.start_ms, flight.from_ms);
  const until = Math.min(day.end_ms, flight.until_ms);
  return until <= from ? 1 : Math.max(0, Math.min(1, (now_ms - from) / (until - from)));
}
