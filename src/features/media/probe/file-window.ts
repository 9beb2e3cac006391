import type { FileHandle } from 'node:fs/promises';

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
