/** Buffers up to this size may share pooled memory; see `Buffer.poolSize`. */
const SHARED_BYTES = 8_192;

/**
 * Frees the memory of a buffer at once, leaving it empty. The garbage collector sees only small objects, not the memory
 * behind them: without this, streamed bytes either pile up or trigger many full collections per second. Views of larger
 * buffers are left alone.
 */
export function releaseMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength > SHARED_BYTES && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}
