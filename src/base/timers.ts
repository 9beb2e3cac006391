/** Runs an action once after a while; the answer calls it off. With `every`, the only user of the machine's timers. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

/** Resolves after a while. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}

/** Runs an action again and again, for as long as anything else keeps the process going; the answer calls it off. */
export function every(ms: number, action: () => void): () => void {
  const timer = setInterval(action, ms).unref();
  return () => clearInterval(timer);
}

/** What `work` comes to, or a rejection when that takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
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

/** Runs an action when everybody who waits for this turn of the loop has had his. */
export function nextTurn(action: () => void): void {
  setImmediate(action);
}

/** Milliseconds of the machine since the process began: they only grow, whatever the clock is set to. */
export function elapsed_ms(): number {
  return performance.now();
}
