import { growingNumbers } from '../directory/growing-numbers.ts';
import { openRecords, openRecordWriter, type RecordFile, type RecordKind, readAt } from './record-file.ts';

/**
 * A run: entries of members, sorted by identifier, as a batch of uploads left them. Entries are stored in blocks, and
 * within a block by column, so that a search reads little more than the first numbers of identifiers.
 *
 *     block:    identifier (4 columns), state of its member (4 columns)
 *     trailer:  the first identifier of each block, amendments, windows of members
 *
 * The state of a member: its number, effective_at, expires_at, and how many identifiers it has. An entry whose member
 * number is 0 is a tombstone: the identifier has no member any more.
 * @source decision 280
 */
const RUN_RECORDS: RecordKind = { mark: 0x4d_45_4d_32, width: 8 };

/** Number of columns of an entry. */
export const ENTRY_WIDTH = RUN_RECORDS.width;
/** Number of entries in a block; only the last of a run may have fewer. */
export const BLOCK_ENTRIES = 4096;

/** The first column of the state of the member of an entry. */
export const STATE = 4;
/** The columns of a state. */
export const [NUMBER, EFFECTIVE_AT, EXPIRES_AT, IDENTIFIERS] = [0, 1, 2, 3] as const;
/** Number of columns of a state. */
export const STATE_WIDTH = 4;

/** Width of an amendment: the number of a member of earlier runs, and its current state. */
export const AMENDMENT_WIDTH = 1 + STATE_WIDTH;

/** The state of the members after the last upload of a run. */
export interface MemberMetadata {
  /** The last merged upload, and when it was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The number of the next new member. */
  readonly next: number;
  /** The numbers of members and of their identifiers by window. */
  readonly windows: Uint32Array;
}

/** The state before the first merge. Numbers start at 1, because 0 marks tombstones. */
export const NO_MEMBERS: MemberMetadata = { merged: 0, accepted_at: 0, next: 1, windows: new Uint32Array(0) };

/** An open run. */
export interface MemberRun extends MemberMetadata {
  readonly path: string;
  /** The first upload. */
  readonly first: number;
  /** Number of entries. */
  readonly count: number;
  /** The first identifier of each block, four numbers each. */
  readonly fences: Uint32Array;
  /** Changes to members of earlier runs, sorted by member number. */
  readonly amendments: Uint32Array;
  /**
   * Reads columns `from` to `to` (exclusive) of a block into their place in `words`, whose columns are as long as the
   * block. Returns the number of entries in the block.
   */
  readBlock(block: number, words: Uint32Array, from: number, to: number): number;
  close(): void;
}

/** Opens a run; undefined if it is missing or damaged. */
export function openRun(path: string): MemberRun | undefined {
  const records = openRecords(path, RUN_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, next, first, amended] = records.numbers as [number, number, number, number, number];
  const { trailer, count } = records;
  const amendmentsAt = Math.ceil(count / BLOCK_ENTRIES) * 4;
  const windowsAt = amendmentsAt + amended * AMENDMENT_WIDTH;
  return {
    path,
    first,
    count,
    merged,
    accepted_at,
    next,
    fences: trailer.subarray(0, amendmentsAt),
    amendments: trailer.subarray(amendmentsAt, windowsAt),
    windows: trailer.subarray(windowsAt),
    readBlock: (block, words, from, to) => readColumns(records, block, words, from, to),
    close: records.close,
  };
}

function readColumns(records: RecordFile, block: number, words: Uint32Array, from: number, to: number): number {
  const first = block * BLOCK_ENTRIES;
  const entries = Math.min(BLOCK_ENTRIES, records.count - first);
  const part = words.subarray(from * entries, to * entries);
  if (!readAt(records, first * ENTRY_WIDTH + from * entries, part)) throw new Error('a file of members is truncated');
  return entries;
}

/** The content of a run except its entries. */
interface RunMetadata extends MemberMetadata {
  readonly first: number;
  readonly amendments: Uint32Array;
}

/** Writes a run: put each entry at `words[at]`, in order, advance `at` by the width, and `flush` at the end of `words`. */
export interface RunWriter {
  readonly words: Uint32Array;
  at: number;
  flush(): void;
  /** Stores the run durably under its name. */
  finish(notes: RunMetadata): void;
  /** Deletes the unfinished file. */
  discard(): void;
}

/** Creates a writer of a run. */
export function openRunWriter(path: string): RunWriter {
  const sink = openRecordWriter(path, RUN_RECORDS);
  const words = new Uint32Array(BLOCK_ENTRIES * ENTRY_WIDTH);
  const fences = growingNumbers();
  const writer = {
    words,
    at: 0,
    flush() {
      const end = writer.at;
      if (end === 0) return;
      for (let part = 0; part < 4; part++) fences.push(words[part]!);
      const { words: columns } = sink;
      for (let column = 0; column < ENTRY_WIDTH; column++) {
        for (let from = column; from < end; from += ENTRY_WIDTH) columns[sink.at++] = words[from]!;
      }
      writer.at = 0;
      // Whole blocks fill the buffer exactly.
      if (sink.at === columns.length) sink.flush();
    },
    finish({ merged, accepted_at, next, first, amendments, windows }: RunMetadata) {
      writer.flush();
      const trailer = new Uint32Array(fences.length + amendments.length + windows.length);
      trailer.set(fences.view());
      trailer.set(amendments, fences.length);
      trailer.set(windows, fences.length + amendments.length);
      sink.finish({ numbers: [merged, accepted_at, next, first, amendments.length / AMENDMENT_WIDTH], trailer });
    },
    discard: sink.discard,
  };
  return writer;
}
