/** Smaller pieces may share their memory with others; see `Buffer.poolSize`. */
const SHARED_BYTES = 8_192;

/**
 * Gives the memory of a piece back at once, after which it is empty. Left to the collector, which sees few small objects
 * and much memory behind them, a stream of bytes either piles up or makes it walk the whole heap many times a second.
 * A piece of something larger is left alone.
 */
export function releaseMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength > SHARED_BYTES && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
