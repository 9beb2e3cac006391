import { nextTurn } from '../../base/timers.ts';

/**
 * Shares looks among those who wait: each is answered by the first look that begins after they asked. At most one look
 * is under way, and one waits to begin, however many ask. A look that fails rejects for those who shared it; the next
 * one begins all the same.
 * @param schedule postpones the beginning, so that requests which arrive in one turn of the event loop share a look.
 */
export function shareLooks(
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
