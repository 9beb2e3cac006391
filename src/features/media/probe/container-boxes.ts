import { type FileHandle, open } from 'node:fs/promises';

/** Whether an MP4 or MOV file has its index, and all of its boxes to their end. */
export async function isCompleteContainer(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return await areBoxesComplete(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** A container has a few boxes at its top, or a few for each second of a recording. */
const BOXES_MAX = 100_000;
/** What is read at once: boxes that lie close together do not cost a read each. */
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
    // Of the last box there may be less than a long head.
    const head = window.subarray(at - from, read);
    if (head.length < 8) return false;
    hasIndex ||= head.toString('latin1', 4, 8) === 'moov';
    const length = boxLength(head, size - at);
    if (length < 8) return false;
    at += length;
  }
  return hasIndex && at === size;
}

/** The length of a box with its head: 0 says that it goes to the end, 1 that the length follows in 64 bits. */
function boxLength(head: Buffer, rest: number): number {
  const length = head.readUInt32BE(0);
  if (length === 0) return rest;
  if (length !== 1) return length;
  return head.length < HEAD_BYTES ? 0 : Number(head.readBigUInt64BE(8));
}
