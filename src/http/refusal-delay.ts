import { pause } from '../base/timers.ts';
import { Problem, type ProblemName } from '../contract/problems/problems.ts';

/** Refusals whose time could tell which keys, tokens or secrets exist. */
const TELLING: ReadonlySet<ProblemName> = new Set([
  'CLIENT_REFUSED',
  'BEARER_INVALID',
  'SIGNATURE_REFUSED',
  'TOKEN_UNKNOWN',
  'TOKEN_REVOKED',
]);

/** The work of a refusal is a tenth of this; timers count in whole milliseconds. */
const HELD_MS = 5;

/**
 * Resolves when a refusal may be answered: a while after the request came, whatever work it took in between. The work is
 * made alike where it is done; what is left of a difference, such as a row that is read or not, is hidden here.
 * @source authentication gaps 1.3
 */
export async function delayRefusal(failure: unknown, startedAt_ms: number): Promise<void> {
  if (!(failure instanceof Problem) || !TELLING.has(failure.errors[0]!.problem)) return;
  const left_ms = Math.ceil(HELD_MS - (performance.now() - startedAt_ms));
  if (left_ms > 0) await pause(left_ms);
}
