const TRIES = 5;
const WAIT_MS = 300;

/** Retries a few times: what one process stores another need not see at once. Throws the last error. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
