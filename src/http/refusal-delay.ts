import { pause } from '../base/timers.ts';
import { Problem, type ProblemName } from '../contract/problems/problems.ts';

/** Refusals whose timing could disclose which keys, tokens or secrets exist. */
const DELAYED_PROBLEMS: ReadonlySet<ProblemName> = new Set([
  'CLIENT_REFUSED',
  'BEARER_INVALID',
  'SIGNATURE_REFUSED',
  'TOKEN_UNKNOWN',
  'TOKEN_REVOKED',
]);

/** Ten times what the work of a refusal takes; timers count in whole milliseconds. */
const REFUSAL_MS = 5;

/**
 * Resolves when a refusal may be answered: at a fixed delay after the request arrived, however long its work took. The
 * work is the same in each case where possible; remaining differences, such as whether a row is read, are hidden here.
 * @source authentication 1.3
 */
export async function delayRefusal(failure: unknown, startedAt_ms: number): Promise<void> {
  if (!(failure instanceof Problem) || !DELAYED_PROBLEMS.has(failure.errors[0]!.problem)) return;
  const left_ms = Math.ceil(REFUSAL_MS - (performance.now() - startedAt_ms));
  if (left_ms > 0) await pause(left_ms);
}
