import { mimeOf } from '../categories.ts';

const OTHER_NAMES: Readonly<Record<string, string>> = { 'video/x-m4v': 'video/mp4', 'image/apng': 'image/png' };

/** The media type that a file has by its bytes; undefined when they are nothing that is known. */
export async function typeOf(path: string): Promise<string | undefined> {
  // Loaded by whoever needs it first.
  const { fileTypeFromFile } = await import('file-type');
  const found = await fileTypeFromFile(path).catch(() => undefined);
  return found && (OTHER_NAMES[found.mime] ?? mimeOf(found.mime));
}
