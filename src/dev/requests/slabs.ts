/** Entries of usual size share slabs; a larger one has its own. */
const SLAB_BYTES = 512 * 1024;

/** Memory that entries are packed into. */
export interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** How many entries are in it. */
  entries: number;
}

/** Memory outside the heap, which the garbage collector neither copies nor looks into. */
export interface Slabs {
  /** A slab with room for so many bytes from `used` on. */
  take(bytes: number): Slab;
  /** An entry has left its slab, which is used again after the last one. */
  release(slab: Slab): void;
}

/** Makes slabs as they are needed. */
export function slabsOf(): Slabs {
  const free: Slab[] = [];
  let current: Slab | undefined;
  return {
    take(bytes) {
      if (bytes > SLAB_BYTES) return { bytes: Buffer.allocUnsafeSlow(bytes), used: 0, entries: 0 };
      if (!current || current.used + bytes > SLAB_BYTES) {
        // All that was in it may be gone already.
        if (current?.entries === 0) current.used = 0;
        else current = free.pop() ?? { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), used: 0, entries: 0 };
      }
      return current;
    },
    release(slab) {
      slab.entries -= 1;
      if (slab.entries > 0 || slab === current || slab.bytes.length !== SLAB_BYTES) return;
      slab.used = 0;
      free.push(slab);
    },
  };
}
