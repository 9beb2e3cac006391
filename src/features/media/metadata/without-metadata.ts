import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type ReceivedFile, type ReceivedFiles, SourceFailed } from '../../../contract/services/received-files.ts';
import { boxEdits } from './box-edits.ts';
import { imageEdits } from './image-edits.ts';
import { webmEdits } from './webm-edits.ts';

/**
 * A copy of a probed file without its metadata, such as position, names and times; pictures and sound are the same bytes.
 * Undefined if there is no metadata; an error message if it cannot be removed.
 * @source decision 1150
 */
export async function withoutMetadata(
  path: string,
  mime: string,
  received: ReceivedFiles,
): Promise<ReceivedFile | undefined | { readonly fault: string }> {
  const edits = await editsOf(path, mime);
  if (!edits) return { fault: 'The metadata of the video cannot be removed' };
  if (edits.length === 0) return undefined;
  await using file = await open(path);
  try {
    return await received.receive(editedBytes(file, edits), Number.MAX_SAFE_INTEGER);
  } catch (error) {
    throw error instanceof SourceFailed ? error.cause : error;
  }
}

async function editsOf(path: string, mime: string) {
  if (mime === 'video/webm') return webmEdits(path);
  return mime.startsWith('video/') ? boxEdits(path) : imageEdits(mime, await readFile(path));
}

/** A range of a file, and its replacement: other bytes, or as many zeros. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by?: Buffer;
}

const PIECE_BYTES = 262_144;

/** Applies edits, in any order, to a file; of overlapping ones, the first wins. The recipient owns the chunks. */
async function* editedBytes(file: FileHandle, edits: readonly Edit[]): AsyncGenerator<Uint8Array> {
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
