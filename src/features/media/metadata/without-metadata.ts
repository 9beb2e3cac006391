import { open, readFile } from 'node:fs/promises';
import { type ReceivedFile, type ReceivedFiles, SourceFailed } from '../../../contract/services/received-files.ts';
import { boxEdits } from './box-edits.ts';
import { editedBytes } from './edits.ts';
import { imageEdits } from './image-edits.ts';
import { webmEdits } from './webm-edits.ts';

/**
 * A copy of a probed file without its metadata, such as position, names and times; pictures and sound are the same bytes.
 * Undefined when there is nothing to remove; or the message why it cannot be removed.
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
