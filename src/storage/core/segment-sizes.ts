import type { Segment } from '../../contract/services/blobs.ts';

/** Uploads whose segment sizes are kept in memory. */
const UPLOADS_MAX = 256;

/**
 * The sizes of the segments of unfinished uploads in bytes, by segment number: read from disk once, and updated when a
 * segment is placed. Segments placed by other processes are not seen; assembling an upload reads the disk.
 */
export class SegmentSizes {
  readonly #known = new Map<string, Promise<Map<number, number>>>();
  readonly #read: (id: string) => Promise<readonly Segment[]>;

  constructor(read: (id: string) => Promise<readonly Segment[]>) {
    this.#read = read;
  }

  /** The sizes of an upload; the caller updates the map. */
  get(id: string): Promise<Map<number, number>> {
    const known = this.#known.get(id);
    if (known) return known;
    const sizes = this.#load(id);
    this.#known.set(id, sizes);
    sizes.catch(() => this.invalidate(id));
    const [oldest] = this.#known.keys();
    if (this.#known.size > UPLOADS_MAX) this.invalidate(oldest!);
    return sizes;
  }

  invalidate(id: string): void {
    this.#known.delete(id);
  }

  async #load(id: string): Promise<Map<number, number>> {
    return new Map((await this.#read(id)).map(({ index, bytes }) => [index, bytes]));
  }
}

/** The sum of all sizes except one. */
export function totalExcept(sizes: ReadonlyMap<number, number>, without: number): number {
  let sum = 0;
  for (const [index, bytes] of sizes) if (index !== without) sum += bytes;
  return sum;
}
