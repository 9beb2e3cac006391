/** Buffers up to this size may share pooled memory; see `Buffer.poolSize`. */
const SHARED_BYTES = 8_192;

/**
 * Frees the memory of a buffer at once, which is empty afterwards. The garbage collector sees few small objects with
 * much memory behind them: left to it, a stream of bytes either piles up or triggers many collections of the whole heap
 * per second. A view of a larger buffer is left alone.
 */
export function releaseMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength > SHARED_BYTES && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
