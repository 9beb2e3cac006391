import type { Entry } from './entry.ts';
import { empty, emptySlot, entryOf, pack, packedBytes, slabsOf } from './slot.ts';

/** How many requests are kept, and in how much memory. */
const ENTRIES_MAX = 1000;
const BYTES_MAX = 32 * 2 ** 20;
/** Numbers of a request, and what has not been packed yet. */
const HEAD_BYTES = 1024;

/** The last requests, in memory. The oldest make room for new ones. */
export interface RequestRing {
  nextId(): number;
  add(entry: Entry): void;
  /** A request has been answered, or given up. */
  end(entry: Entry): void;
  /** An entry has got everything that it will have. */
  keep(entry: Entry): void;
  find(id: number): Entry | undefined;
  /** In the order in which they began. */
  list(): Entry[];
  clear(): void;
  /** Tells the end of each request, until the returned function is called. */
  onEnd(listener: (entry: Entry) => void): () => void;
}

/** Makes an empty ring. */
export function requestRing(): RequestRing {
  const slots = Array.from({ length: ENTRIES_MAX }, emptySlot);
  const listeners = new Set<(entry: Entry) => void>();
  const slabs = slabsOf();
  let lastId = 0;
  let lastEnd = 0;
  /** The oldest one that may be kept. */
  let firstId = 1;
  let bytes = 0;

  const slotOf = (id: number) => slots[id % ENTRIES_MAX]!;
  const dropOldest = (): void => {
    const slot = slotOf(firstId);
    if (slot.id === firstId) {
      bytes -= HEAD_BYTES + packedBytes(slot);
      empty(slot, slabs);
    }
    firstId += 1;
  };

  return {
    nextId() {
      lastId += 1;
      while (lastId - firstId >= ENTRIES_MAX) dropOldest();
      return lastId;
    },
    add(entry) {
      const slot = slotOf(entry.id);
      slot.id = entry.id;
      slot.live = entry;
      bytes += HEAD_BYTES;
    },
    end(entry) {
      if (entry.ended !== undefined) return;
      lastEnd += 1;
      entry.ended = lastEnd;
      entry.statements.isComplete = true;
      entry.duration_ms ??= performance.now() - entry.startedAt_ms;
      for (const listener of listeners) listener(entry);
    },
    keep(entry) {
      const slot = slotOf(entry.id);
      if (slot.live !== entry) return;
      pack(slot, entry, slabs);
      bytes += packedBytes(slot);
      while (bytes > BYTES_MAX) dropOldest();
    },
    find(id) {
      const slot = slots[id % ENTRIES_MAX];
      return slot && slot.id === id && id > 0 ? entryOf(slot) : undefined;
    },
    list() {
      const listed = [];
      for (let id = firstId; id <= lastId; id++) if (slotOf(id).id === id) listed.push(entryOf(slotOf(id)));
      return listed;
    },
    clear() {
      while (firstId <= lastId) dropOldest();
    },
    onEnd(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
