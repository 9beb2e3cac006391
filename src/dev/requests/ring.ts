import type { Entry } from './entry.ts';
import { empty, entryOf, pack, packedBytes, Slabs, Slot } from './slot.ts';

/** Maximum number of requests, and their memory. */
const ENTRIES_MAX = 1000;
const BYTES_MAX = 32 * 2 ** 20;
/** The estimated size of a request that is not packed yet, and of its numbers. */
const HEAD_BYTES = 1024;

/** The last requests, in memory; new ones evict the oldest. */
export class RequestRing {
  readonly #slots = Array.from({ length: ENTRIES_MAX }, () => new Slot());
  readonly #listeners = new Set<(entry: Entry) => void>();
  readonly #slabs = new Slabs();
  #lastId = 0;
  #lastEnd = 0;
  /** The oldest id that may still be stored. */
  #firstId = 1;
  #bytes = 0;

  nextId(): number {
    this.#lastId += 1;
    while (this.#lastId - this.#firstId >= ENTRIES_MAX) this.#dropOldest();
    return this.#lastId;
  }

  add(entry: Entry): void {
    const slot = this.#slotOf(entry.id);
    slot.id = entry.id;
    slot.live = entry;
    this.#bytes += HEAD_BYTES;
  }

  /** Marks a request as answered or given up. */
  end(entry: Entry): void {
    if (entry.ended !== undefined) return;
    this.#lastEnd += 1;
    entry.ended = this.#lastEnd;
    entry.statements.isComplete = true;
    entry.duration_ms ??= performance.now() - entry.startedAt_ms;
    for (const listener of this.#listeners) listener(entry);
  }

  /** Packs an entry that is complete. */
  keep(entry: Entry): void {
    const slot = this.#slotOf(entry.id);
    if (slot.live !== entry) return;
    pack(slot, entry, this.#slabs);
    this.#bytes += packedBytes(slot);
    while (this.#bytes > BYTES_MAX) this.#dropOldest();
  }

  find(id: number): Entry | undefined {
    const slot = this.#slots[id % ENTRIES_MAX];
    return slot && slot.id === id && id > 0 ? entryOf(slot) : undefined;
  }

  /** All entries, in the order in which their requests began. */
  list(): Entry[] {
    const listed = [];
    for (let id = this.#firstId; id <= this.#lastId; id++) {
      const slot = this.#slotOf(id);
      if (slot.id === id) listed.push(entryOf(slot));
    }
    return listed;
  }

  clear(): void {
    while (this.#firstId <= this.#lastId) this.#dropOldest();
  }

  /** Calls the listener when a request ends, until the returned function is called. */
  onEnd(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #slotOf(id: number): Slot {
    return this.#slots[id % ENTRIES_MAX]!;
  }

  #dropOldest(): void {
    const slot = this.#slotOf(this.#firstId);
    if (slot.id === this.#firstId) {
      this.#bytes -= HEAD_BYTES + packedBytes(slot);
      empty(slot, this.#slabs);
    }
    this.#firstId += 1;
  }
}
