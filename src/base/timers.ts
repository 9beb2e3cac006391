/** Runs an action once after a delay; returns a function that cancels it. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

/** Resolves after a delay. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}

/** Runs an action repeatedly, without keeping the process alive; returns a function that cancels it. */
export function every(ms: number, action: () => void): () => void {
  const timer = setInterval(action, ms).unref();
  return () => clearInterval(timer);
}

/** Returns the result of `work`; rejects if it takes longer than `ms`. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let callOff = (): void => {};
  const late = new Promise<never>((_, reject) => {
    callOff = after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}

/** Runs an action after all pending callbacks of this turn of the event loop. */
export function nextTurn(action: () => void): void {
  setImmediate(action);
}

/** Milliseconds since the process started: monotonic, unaffected by changes of the clock. */
export function elapsed_ms(): number {
  return performance.now();
}
