const TRIES = 5;
const WAIT_MS = 300;

/** Does something until it succeeds, a few times: what one process stores another need not see at once. */
export async function insistently<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
