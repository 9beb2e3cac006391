// Taken before tests can replace them by fakes.
const { setTimeout, clearTimeout } = globalThis;

/** Runs an action later, unless it is called off. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}
