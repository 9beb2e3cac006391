import { nextTurn } from '../../base/timers.ts';

/**
 * Coalesces invalidation checks: each caller waits for the first check that starts after its call. At most one check
 * runs and one is queued. A failed check rejects for its callers only.
 * @param schedule defers the start, so that requests arriving in one turn of the event loop share a check
 */
export function coalesceChecks(
  look: () => Promise<void>,
  schedule: (begin: () => void) => void = nextTurn,
): () => Promise<void> {
  let underWay: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  const next = async (): Promise<void> => {
    await underWay;
    await new Promise<void>(schedule);
    waiting = undefined;
    const looking = look();
    underWay = looking.catch(() => undefined);
    return looking;
  };
  return () => {
    waiting ??= next();
    return waiting;
  };
}
