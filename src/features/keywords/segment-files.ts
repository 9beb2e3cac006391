import { LRUCache } from 'lru-cache';
import { openSections, type Section, type SectionFile } from '../../base/columns-file.ts';
import { type ColumnName, countByCountry, hoursOf, type PostHours, type Segment, segmentOf } from './segment.ts';
import type { SegmentColumns } from './segment-writer.ts';

/** Reads a whole segment into memory. @throws if its file is missing or damaged */
export function readSegment(path: string): Segment {
  const file = openSections(path);
  try {
    return segmentOf(Object.fromEntries(COLUMNS.map((name) => [name, file.read(name)])) as unknown as SegmentColumns);
  } finally {
    file.close();
  }
}

/** A cacheable part of a segment: a column, or the hours derived from one. */
type Piece = ColumnName | 'hours';

/** A segment file, open or not. */
interface KnownFile {
  readonly path: string;
  readonly posts: number;
  readonly bytes: Readonly<Record<Piece, number>>;
  firstHour: number | undefined;
  byCountry: ReadonlyMap<number, number> | undefined;
}

/**
 * The cached pieces, the most useful for their size first. Searches read the first four as a whole and only parts of the
 * others; of `hashes` and `users` they need so little that these are not cached.
 */
const KEPT: readonly Piece[] = [
  'terms',
  'ends',
  'hours',
  'countries',
  'starts',
  'createdAt',
  'postings',
  'words',
  'languages',
];
const COLUMNS: readonly ColumnName[] = [...KEPT.filter((piece) => piece !== 'hours'), 'hashes', 'users'];

const NO_BUFFER = new ArrayBuffer(0);

/**
 * Caches as many columns of segment files as fit in memory. If the columns of one search do not all fit, the last ones are
 * read from the files by each search, so that a search does not evict its own columns.
 * @source decision 1032
 */
export class SegmentFiles {
  readonly #bytes_max: number;
  readonly #files = new Map<string, KnownFile>();
  readonly #memory: SegmentMemory;

  constructor(bytes_max: number) {
    this.#bytes_max = bytes_max;
    const sections = new LRUCache<string, Section>({
      maxSize: bytes_max,
      sizeCalculation: ({ byteLength }) => Math.max(byteLength, 1),
    });
    this.#memory = { sections, buffers: new Map() };
  }

  /**
   * Runs a search over the segments in these files, reading uncached columns.
   * @throws if one is missing or damaged
   */
  search<T>(paths: readonly string[], search: (segments: Segment[]) => T): T {
    const files = paths.map((path) => this.#know(path));
    const fitting = this.#piecesThatFit(files);
    const segments = files.map((file) => new FileSegment(file, fitting, this.#memory));
    try {
      return search(segments);
    } finally {
      for (const segment of segments) segment.close();
    }
  }

  /** Evicts all files but these. */
  retain(paths: ReadonlySet<string>): void {
    for (const path of this.#files.keys()) {
      if (paths.has(path)) continue;
      this.#files.delete(path);
      for (const name of KEPT) this.#memory.sections.delete(keyOf(path, name));
    }
  }

  #know(path: string): KnownFile {
    const known = this.#files.get(path);
    if (known) return known;
    const file = openSections(path);
    try {
      const posts = file.lengthOf('hashes');
      const bytes = Object.fromEntries(COLUMNS.map((name) => [name, file.bytesOf(name)]));
      const found: KnownFile = {
        path,
        posts,
        firstHour: undefined,
        byCountry: undefined,
        bytes: { ...bytes, hours: posts } as KnownFile['bytes'],
      };
      this.#files.set(path, found);
      return found;
    } finally {
      file.close();
    }
  }

  /** Returns the pieces that can be cached while these files are searched. */
  #piecesThatFit(files: readonly KnownFile[]): ReadonlySet<Piece> {
    const fitting = new Set<Piece>();
    let total = 0;
    for (const name of KEPT) {
      total += files.reduce((sum, { bytes }) => sum + bytes[name], 0);
      if (total > this.#bytes_max) break;
      fitting.add(name);
    }
    return fitting;
  }
}

interface SegmentMemory {
  readonly sections: LRUCache<string, Section>;
  /** The reusable read buffer of each column. */
  readonly buffers: Map<ColumnName, ArrayBuffer>;
}

function keyOf(path: string, name: Piece): string {
  return `${name} ${path}`;
}

/** A segment that is open for a search. */
class FileSegment implements Segment {
  readonly path: string;
  readonly posts: number;
  readonly #known: KnownFile;
  readonly #fitting: ReadonlySet<Piece>;
  readonly #memory: SegmentMemory;
  #file: SectionFile | undefined;
  /** The cached pieces that this search has used. */
  readonly #used = new Map<Piece, Section>();

  constructor(known: KnownFile, fitting: ReadonlySet<Piece>, memory: SegmentMemory) {
    this.path = known.path;
    this.posts = known.posts;
    this.#known = known;
    this.#fitting = fitting;
    this.#memory = memory;
  }

  #open(): SectionFile {
    this.#file ??= openSections(this.path);
    return this.#file;
  }

  #find<S extends Section>(name: Piece, read: () => S): S {
    if (!this.#fitting.has(name)) return read();
    const { sections } = this.#memory;
    const key = keyOf(this.path, name);
    let found = (this.#used.get(name) ?? sections.get(key)) as S | undefined;
    if (!found) {
      found = read();
      sections.set(key, found);
    }
    this.#used.set(name, found);
    return found;
  }

  column<N extends ColumnName>(name: N): SegmentColumns[N] {
    return this.#find(name, () => this.#open().read(name) as SegmentColumns[N]);
  }

  part<N extends ColumnName>(name: N, from: number, to: number): SegmentColumns[N] {
    if (this.#fitting.has(name)) return this.column(name).subarray(from, to) as SegmentColumns[N];
    const { buffers } = this.#memory;
    const part = this.#open().readPart(name, from, to, buffers.get(name) ?? NO_BUFFER);
    buffers.set(name, part.buffer as ArrayBuffer);
    return part as SegmentColumns[N];
  }

  hours(): PostHours {
    const column = this.#find('hours', () => {
      const hours = hoursOf(this.column('createdAt'))!;
      this.#known.firstHour = hours.first;
      return hours.column;
    });
    return { first: this.#known.firstHour!, column };
  }

  isInMemory(name: ColumnName): boolean {
    return this.#fitting.has(name);
  }

  countPostsFrom(country: number): number {
    this.#known.byCountry ??= countByCountry(this.column('countries'));
    return this.#known.byCountry.get(country) ?? 0;
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
