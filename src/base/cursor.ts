import { hash } from 'node:crypto';
import { isLegalText } from './text.ts';

/**
 * A position in a list: the sort values and id of the last row, with a digest of the filters and order it belongs to.
 * It survives inserts and deletes, and is invalid for any other list.
 * @source campaigns 1.6; decision 46
 */
export interface Cursor {
  /** Sort values of the last row, in the order of the sort keys; the id last. */
  readonly after: readonly (string | number | null)[];
}

/** Encodes a cursor as opaque text. `list` is everything that must not change between pages. */
export function encodeCursor(cursor: Cursor, list: string): string {
  return Buffer.from(`${digest(list)}${JSON.stringify(cursor.after)}`).toString('base64url');
}

/** Decodes a cursor; undefined when it is invalid or belongs to another list. */
export function decodeCursor(text: string, list: string, length: number): Cursor | undefined {
  const plain = Buffer.from(text, 'base64url').toString();
  if (!plain.startsWith(digest(list)) || Buffer.from(plain).toString('base64url') !== text) return undefined;
  try {
    const after: unknown = JSON.parse(plain.slice(DIGEST_LENGTH));
    if (!Array.isArray(after) || after.length !== length) return undefined;
    // A forged cursor must not pass text to a database that rejects it.
    const plainValues = after.every(
      (value) => value === null || (typeof value === 'string' ? isLegalText(value) : Number.isSafeInteger(value)),
    );
    return plainValues ? { after } : undefined;
  } catch {
    return undefined;
  }
}

const DIGEST_LENGTH = 8;

function digest(list: string): string {
  return hash('sha256', list, 'base64url').slice(0, DIGEST_LENGTH);
}
