import type { FileHandle } from 'node:fs/promises';

/** A range of a file, and its replacement: other bytes, or as many zeros. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by?: Buffer;
}

const PIECE_BYTES = 262_144;

/** The bytes of a file with edits, in any order; of edits that overlap, the first holds. The recipient owns the pieces. */
export async function* editedBytes(file: FileHandle, edits: readonly Edit[]): AsyncGenerator<Uint8Array> {
  const { size } = await file.stat();
  const last: Edit = { start: size, end: size };
  let at = 0;
  for (const { start, end, by } of [...edits.toSorted((a, b) => a.start - b.start), last]) {
    if (start < at || end > size) continue;
    for (let from = at; from < start; ) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, start - from));
      const { bytesRead } = await file.read(piece, 0, piece.length, from);
      yield piece.subarray(0, bytesRead);
      from += bytesRead;
    }
    if (by) yield Buffer.from(by);
    else for (let rest = end - start; rest > 0; rest -= PIECE_BYTES) yield Buffer.alloc(Math.min(rest, PIECE_BYTES));
    at = end;
  }
}
