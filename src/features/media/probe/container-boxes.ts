import { type FileHandle, open } from 'node:fs/promises';

/** Whether an MP4 or MOV file has a `moov` box and all top-level boxes are complete. */
export async function isCompleteContainer(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return await areBoxesComplete(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** Upper bound of top-level boxes; fragmented files have a few per second. */
const BOXES_MAX = 100_000;
/** Read size; adjacent boxes share a read. */
const WINDOW_BYTES = 4096;
const HEAD_BYTES = 16;

async function areBoxesComplete(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  let hasIndex = false;
  const window = Buffer.alloc(WINDOW_BYTES);
  let from = 0;
  let read = 0;
  for (let count = 0; count < BOXES_MAX && at < size; count++) {
    if (at + HEAD_BYTES > from + read) {
      from = at;
      read = (await file.read(window, 0, WINDOW_BYTES, from)).bytesRead;
    }
    // The last box may be shorter than a 64-bit header.
    const head = window.subarray(at - from, read);
    if (head.length < 8) return false;
    hasIndex ||= head.toString('latin1', 4, 8) === 'moov';
    const length = boxLength(head, size - at);
    if (length < 8) return false;
    at += length;
  }
  return hasIndex && at === size;
}

/** The length of a box with its header: 0 means to the end of the file, 1 that a 64-bit length follows. */
function boxLength(head: Buffer, rest: number): number {
  const length = head.readUInt32BE(0);
  if (length === 0) return rest;
  if (length !== 1) return length;
  return head.length < HEAD_BYTES ? 0 : Number(head.readBigUInt64BE(8));
}
