import { LRUCache } from 'lru-cache';
import { openSections, type Section, type SectionFile } from '../../base/columns-file.ts';
import { type ColumnName, countByCountry, hoursOf, type Segment, segmentOf } from './segment.ts';
import type { SegmentColumns } from './segment-writer.ts';

/** Segments in files, with as many of their columns in memory as fit. */
export interface SegmentFiles {
  /**
   * Runs a search over the segments in these files. What is not in memory is read from them, and stays if it may.
   * @throws when one is missing or damaged
   */
  search<T>(paths: readonly string[], search: (segments: Segment[]) => T): T;
  /** Forgets all files but these. */
  retain(paths: ReadonlySet<string>): void;
}

/** Reads a whole segment into memory. @throws when its file is missing or damaged */
export function readSegment(path: string): Segment {
  const file = openSections(path);
  try {
    return segmentOf(Object.fromEntries(COLUMNS.map((name) => [name, file.read(name)])) as unknown as SegmentColumns);
  } finally {
    file.close();
  }
}

/** What of a segment can stay in memory: columns, and what is derived from one. */
type Piece = ColumnName | 'hours';

/** A file that is not open. */
interface KnownFile {
  readonly posts: number;
  readonly bytes: Readonly<Record<Piece, number>>;
  firstHour: number | undefined;
  byCountry: ReadonlyMap<number, number> | undefined;
}

/**
 * What stays in memory, the most useful for its size first. Searches read the first four as a whole; of the others they
 * need parts, and of `hashes` and `users` so few that they never stay.
 */
const KEPT: readonly Piece[] = [
  ...(['terms', 'ends', 'hours', 'countries', 'starts', 'createdAt', 'postings', 'words', 'languages'] as const),
];
const COLUMNS: readonly ColumnName[] = [...KEPT.filter((piece) => piece !== 'hours'), 'hashes', 'users'];

const NO_BUFFER = new ArrayBuffer(0);

/**
 * Opens segments. When all columns of the segments of a search do not fit, the last ones are read from their files by each
 * search, so that no search displaces what it needs itself.
 * @source decision 1032
 */
export function openSegmentFiles(bytes_max: number): SegmentFiles {
  const files = new Map<string, KnownFile>();
  const kept = new LRUCache<string, Section>({
    maxSize: bytes_max,
    sizeCalculation: ({ byteLength }) => Math.max(byteLength, 1),
  });
  /** By column, what its parts are read into. */
  const buffers = new Map<ColumnName, ArrayBuffer>();
  const keyOf = (path: string, name: Piece): string => `${name} ${path}`;

  function know(path: string): KnownFile {
    const found = files.get(path);
    if (found) return found;
    const file = openSections(path);
    try {
      const posts = file.lengthOf('hashes');
      const bytes = Object.fromEntries(COLUMNS.map((name) => [name, file.bytesOf(name)]));
      const known = {
        posts,
        bytes: { ...bytes, hours: posts } as KnownFile['bytes'],
        firstHour: undefined,
        byCountry: undefined,
      };
      files.set(path, known);
      return known;
    } finally {
      file.close();
    }
  }

  /** What may stay in memory while these files are searched. */
  function piecesThatFit(known: readonly KnownFile[]): ReadonlySet<Piece> {
    const fitting = new Set<Piece>();
    let total = 0;
    for (const name of KEPT) {
      total += known.reduce((sum, { bytes }) => sum + bytes[name], 0);
      if (total > bytes_max) break;
      fitting.add(name);
    }
    return fitting;
  }

  function openSegment(path: string, fitting: ReadonlySet<Piece>): Segment & { close(): void } {
    const known = files.get(path)!;
    let file: SectionFile | undefined;
    const open = (): SectionFile => {
      file ??= openSections(path);
      return file;
    };
    /** What this search has used of what stays. */
    const used = new Map<Piece, Section>();
    const find = <S extends Section>(name: Piece, read: () => S): S => {
      if (!fitting.has(name)) return read();
      const key = keyOf(path, name);
      let found = (used.get(name) ?? kept.get(key)) as S | undefined;
      if (!found) {
        found = read();
        kept.set(key, found);
      }
      used.set(name, found);
      return found;
    };
    const column = <N extends ColumnName>(name: N): SegmentColumns[N] =>
      find(name, () => open().read(name) as SegmentColumns[N]);
    return {
      path,
      posts: known.posts,
      column,
      part<N extends ColumnName>(name: N, from: number, to: number): SegmentColumns[N] {
        if (fitting.has(name)) return column(name).subarray(from, to) as SegmentColumns[N];
        const part = open().readPart(name, from, to, buffers.get(name) ?? NO_BUFFER);
        buffers.set(name, part.buffer as ArrayBuffer);
        return part as SegmentColumns[N];
      },
      hours() {
        const read = (): Uint8Array => {
          const { first, column: hours } = hoursOf(column('createdAt'))!;
          known.firstHour = first;
          return hours;
        };
        const hours = find('hours', read);
        return { first: known.firstHour!, column: hours };
      },
      isInMemory: (name) => fitting.has(name),
      postsOf(country) {
        known.byCountry ??= countByCountry(column('countries'));
        return known.byCountry.get(country) ?? 0;
      },
      close() {
        file?.close();
        file = undefined;
      },
    };
  }

  return {
    search(paths, search) {
      const fitting = piecesThatFit(paths.map(know));
      const segments = paths.map((path) => openSegment(path, fitting));
      try {
        return search(segments);
      } finally {
        for (const segment of segments) segment.close();
      }
    },
    retain(paths) {
      for (const path of files.keys()) {
        if (paths.has(path)) continue;
        files.delete(path);
        for (const name of KEPT) kept.delete(keyOf(path, name));
      }
    },
  };
}
