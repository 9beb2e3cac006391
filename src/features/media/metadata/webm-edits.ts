import { open } from 'node:fs/promises';
import { windowReader } from '../probe/container-boxes.ts';
import type { Edit } from './without-metadata.ts';

const [HEAD, SEGMENT, CLUSTER] = ['1a45dfa3', '18538067', '1f43b675'];
const [SEEK_HEAD, INFO, TRACKS, CUES, TRACK] = ['114d9b74', '1549a966', '1654ae6b', '1c53bb6b', 'ae'];
/** Children of clusters, which are found beside the cluster if its size is unknown. */
const CLUSTER_CHILDREN = ['e7', 'a0', 'a3', 'a7', 'ab', '5854'];
/** Elements to keep, by parent; of the info element: timestamp scale, duration, muxing app and writing app. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  '': [HEAD, SEGMENT],
  [SEGMENT]: [SEEK_HEAD, INFO, TRACKS, CLUSTER, CUES, ...CLUSTER_CHILDREN],
  [INFO]: ['2ad7b1', '4489', '4d80', '5741'],
  [TRACKS]: [TRACK],
};
/** Children of tracks to remove: name, codec name, checksum, and elements with unreadable ids. */
const REMOVED_FROM_TRACKS = ['536e', '258688', 'bf', ''];
const VOID = 'ec';
/** Maximum length of an element header. */
const HEADER_BYTES = 12;
/** Maximum numbers of elements and edits in a video. */
const [ELEMENTS_MAX, EDITS_MAX] = [1_000_000, 10_000];

/**
 * Returns the edits that blank the metadata of a WebM file (titles, dates, tags, attachments) in place, by turning its
 * elements into Void elements; undefined if there are too many.
 */
export async function webmEdits(path: string): Promise<Edit[] | undefined> {
  await using file = await open(path);
  const read = windowReader(file);
  const edits: Edit[] = [];
  let count = 0;
  const walk = async (from: number, end: number, parent: string): Promise<boolean> => {
    for (let start = from; start < end; ) {
      count += 1;
      if (count > ELEMENTS_MAX || edits.length > EDITS_MAX) return false;
      const { id, content, size } = parseHeader(await read(start, Math.min(HEADER_BYTES, end - start)));
      const isKept = parent === TRACK ? !REMOVED_FROM_TRACKS.includes(id) : KEPT[parent]!.includes(id);
      if (isKept && id === CLUSTER && size === undefined) {
        start += content;
        continue;
      }
      const next = Math.min(size === undefined ? end : start + content + size, end);
      if (id === VOID) edits.push({ start: start + content, end: next });
      else if (!isKept) edits.push(...voidEdits(start, next));
      else if (parent !== TRACK && (id in KEPT || id === TRACK) && !(await walk(start + content, next, id)))
        return false;
      start = next;
    }
    return true;
  };
  return (await walk(0, (await file.stat()).size, '')) ? edits : undefined;
}

/** Parses an element header: the id in hex digits, '' if unreadable; where the content begins; its size, if known. */
function parseHeader(header: Buffer): {
  readonly id: string;
  readonly content: number;
  readonly size: number | undefined;
} {
  const idBytes = Math.clz32(header[0]!) - 23;
  const sizeBytes = Math.clz32(header[idBytes] ?? 0) - 23;
  const content = idBytes + sizeBytes;
  if (idBytes > 4 || sizeBytes > 8 || content > header.length) return { id: '', content: 0, size: undefined };
  const id = header.toString('hex', 0, idBytes);
  const value = BigInt(`0x${header.toString('hex', idBytes, content)}`) & ((1n << BigInt(7 * sizeBytes)) - 1n);
  const isKnown = value !== (1n << BigInt(7 * sizeBytes)) - 1n;
  return { id, content, size: isKnown ? Number(value) : undefined };
}

/** Returns the edits that replace a range by a Void element. */
function voidEdits(start: number, end: number): Edit[] {
  const length = end - start;
  if (length < 2) return [{ start, end }];
  // The size field of the Void element takes one byte, or eight.
  const by = length <= 128 ? Buffer.alloc(2, 0x80 | (length - 2)) : Buffer.alloc(9);
  if (length > 128) by.writeBigUInt64BE((1n << 56n) | BigInt(length - 9), 1);
  by[0] = 0xec;
  return [
    { start, end: start + by.length, by },
    { start: start + by.length, end },
  ];
}
