import { type FileHandle, open } from 'node:fs/promises';

/** Whether an MP4 or MOV file has its index, and all of its boxes to their end. */
export async function isWholeContainer(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return await areWhole(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** A container has a few boxes at its top, or a few for each second of a recording. */
const BOXES_MAX = 100_000;

async function areWhole(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  let hasIndex = false;
  for (let count = 0; count < BOXES_MAX && at < size; count++) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, at);
    if (bytesRead < 8) return false;
    hasIndex ||= buffer.toString('latin1', 4, 8) === 'moov';
    const length = boxLength(buffer, size - at);
    if (length < 8) return false;
    at += length;
  }
  return hasIndex && at === size;
}

/** The length of a box with its head: 0 says that it goes to the end, 1 that the length follows in 64 bits. */
function boxLength(head: Buffer, rest: number): number {
  const length = head.readUInt32BE(0);
  if (length === 0) return rest;
  return length === 1 ? Number(head.readBigUInt64BE(8)) : length;
}
