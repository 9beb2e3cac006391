import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '../../src/base/timers.ts';

/** Longer than any machine needs, however busy it is: what has not come by then never comes. */
export const PATIENCE_MS = 120_000;

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/**
 * Resolves when a condition holds, which is checked again and again, at first often.
 * @param what what is waited for, as a clause: "the job is done"; a function says it when it never came.
 */
export async function until(
  what: string | (() => string | Promise<string>),
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline_ms = performance.now() + PATIENCE_MS;
  for (let pause_ms = FIRST_PAUSE_MS; !(await holds()); pause_ms = Math.min(pause_ms * 1.2, LONGEST_PAUSE_MS)) {
    if (performance.now() > deadline_ms) {
      throw new Error(`it never came that ${typeof what === 'string' ? what : await what()}`);
    }
    await wait(pause_ms);
  }
}

/** A probe that takes longer is sent again. */
const PROBE_MS = 2000;

/** Resolves when `/readyz` of a server turns to 200: on a busy machine its checks may exceed their second at first. */
export async function untilReady(operationsUrl: string): Promise<void> {
  await until(`${operationsUrl}/readyz turns to 200`, () =>
    fetch(`${operationsUrl}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      async (reply) => {
        await reply.arrayBuffer();
        return reply.ok;
      },
      () => false,
    ),
  );
}

/** What a promise resolves to; rejects if that takes longer than anything does. */
export const inTime = <T>(work: Promise<T>): Promise<T> => withTimeout(PATIENCE_MS, work);
