import type { Segment } from '../../contract/services/blobs.ts';

/** Uploads whose segment sizes are kept in memory. */
const UPLOADS_MAX = 256;

/**
 * How many bytes the segments of uploads have that are being sent, by number: read from the disk once, and kept up by
 * whoever places a segment. What another process places is not seen; before an upload is assembled the disk is asked.
 */
export class SegmentSizes {
  readonly #known = new Map<string, Promise<Map<number, number>>>();
  readonly #read: (id: string) => Promise<readonly Segment[]>;

  constructor(read: (id: string) => Promise<readonly Segment[]>) {
    this.#read = read;
  }

  /** The sizes of an upload, to be changed by its reader. */
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

/** The sum of all sizes but one. */
export function totalExcept(sizes: ReadonlyMap<number, number>, without: number): number {
  let sum = 0;
  for (const [index, bytes] of sizes) if (index !== without) sum += bytes;
  return sum;
}
