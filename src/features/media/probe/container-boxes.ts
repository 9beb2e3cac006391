import { type FileHandle, open } from 'node:fs/promises';

/** A box of an MP4 or MOV file. */
export interface Box {
  /** The types of the boxes around it, such as `moov/trak/`. */
  readonly parent: string;
  readonly type: string;
  readonly start: number;
  /** Offset of its content, after its head. */
  readonly content: number;
  readonly end: number;
}

/** Whether an MP4 or MOV file has a `moov` box and all top-level boxes are complete. */
export async function isCompleteContainer(path: string): Promise<boolean> {
  return (await boxesOf(path))?.some(({ parent, type }) => parent === '' && type === 'moov') ?? false;
}

/** Boxes that are descended into. */
const PARENTS: readonly string[] = [
  'moov/',
  'moov/trak/',
  'moov/trak/mdia/',
  'moov/trak/mdia/minf/',
  'moov/trak/mdia/minf/stbl/',
];
/** Upper bound of boxes; fragmented files have a few per second. */
const BOXES_MAX = 100_000;
const HEAD_BYTES = 16;

/**
 * The boxes of an MP4 or MOV file in their order, parents first; undefined when one of the top level is incomplete, or
 * there are too many. An unreadable box inside another has no type.
 */
export async function boxesOf(path: string): Promise<readonly Box[] | undefined> {
  await using file = await open(path);
  const read = windowReader(file);
  const boxes: Box[] = [];
  const walk = async (from: number, end: number, parent: string): Promise<boolean> => {
    for (let start = from; start < end; ) {
      if (boxes.length === BOXES_MAX) return false;
      // The last box may be shorter than a 64-bit header.
      const head = await read(start, Math.min(HEAD_BYTES, end - start));
      const [length, headBytes] = boxLength(head, end - start);
      const isWhole = length >= headBytes && length <= end - start;
      if (!isWhole && parent === '') return false;
      const next = isWhole ? start + length : end;
      const type = isWhole ? head.toString('latin1', 4, 8) : '';
      const content = isWhole ? start + headBytes : start;
      boxes.push({ parent, type, start, content, end: next });
      const path = `${parent}${type}/`;
      if (PARENTS.includes(path) && !(await walk(content, next, path))) return false;
      start = next;
    }
    return true;
  };
  return (await walk(0, (await file.stat()).size, '')) ? boxes : undefined;
}

/** The length of a box and of its head: a length of 0 means to the end, 1 that 64 bits follow. */
function boxLength(head: Buffer, rest: number): [length: number, headBytes: number] {
  const length = head.length < 8 ? 0 : head.readUInt32BE(0);
  if (length === 1) return [head.length < HEAD_BYTES ? 0 : Number(head.readBigUInt64BE(8)), HEAD_BYTES];
  return [length === 0 && head.length >= 8 ? rest : length, 8];
}

const WINDOW_BYTES = 4096;

/** Reads bytes at an offset, fewer at the end of the file. The buffer is valid until the next call. */
export type WindowReader = (at: number, length: number) => Promise<Buffer>;

/** A reader of few bytes at a time: neighbours share a read. */
export function windowReader(file: FileHandle): WindowReader {
  const window = Buffer.alloc(WINDOW_BYTES);
  let from = 0;
  let read = 0;
  return async (at, length) => {
    if (at < from || at + length > from + read) {
      from = at;
      read = (await file.read(window, 0, WINDOW_BYTES, from)).bytesRead;
    }
    return window.subarray(at - from, Math.min(at - from + length, read));
  };
}
