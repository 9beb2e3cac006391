import { type Entry, REPLY_BYTES_MAX } from './entry.ts';

/** How many requests are kept, and in how much memory. */
const ENTRIES_MAX = 1000;
const BYTES_MAX = 32 * 2 ** 20;
/** Heads, names and numbers of a request. */
const HEAD_BYTES = 4096;
const STATEMENT_BYTES = 100;

/** The last requests, in memory. The oldest make room for new ones. */
export interface RequestRing {
  nextId(): number;
  add(entry: Entry): void;
  /** An entry has got everything that it will have. */
  end(entry: Entry): void;
  find(id: number): Entry | undefined;
  /** In the order in which they began. */
  list(): Entry[];
  clear(): void;
  /** Tells the end of each request, until the returned function is called. */
  onEnd(listener: (entry: Entry) => void): () => void;
}

/** Makes an empty ring. */
export function requestRing(): RequestRing {
  const entries = new Map<number, Entry>();
  const listeners = new Set<(entry: Entry) => void>();
  let lastId = 0;
  let lastEnd = 0;
  let bytes = 0;

  const dropOldest = (): void => {
    const [id, entry] = entries.entries().next().value!;
    entries.delete(id);
    bytes -= entry.size_bytes;
  };
  const charge = (entry: Entry, size_bytes: number): void => {
    bytes += size_bytes - entry.size_bytes;
    entry.size_bytes = size_bytes;
  };

  return {
    nextId() {
      lastId += 1;
      return lastId;
    },
    add(entry) {
      entries.set(entry.id, entry);
      charge(entry, HEAD_BYTES);
      if (entries.size > ENTRIES_MAX) dropOldest();
    },
    end(entry) {
      if (entry.ended !== undefined) return;
      lastEnd += 1;
      entry.ended = lastEnd;
      entry.duration_ms ??= performance.now() - entry.startedAt_ms;
      if (entries.has(entry.id)) {
        charge(entry, sizeOf(entry));
        while (bytes > BYTES_MAX) dropOldest();
      }
      for (const listener of listeners) listener(entry);
    },
    find: (id) => entries.get(id),
    list: () => [...entries.values()],
    clear() {
      entries.clear();
      bytes = 0;
    },
    onEnd(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function sizeOf({ body, replyBytes, parameters, statements }: Entry): number {
  const texts = body.length + Math.min(replyBytes, REPLY_BYTES_MAX) + parameters.length;
  return HEAD_BYTES + texts + statements.length * STATEMENT_BYTES;
}
