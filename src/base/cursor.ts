import { hash } from 'node:crypto';
import { isLegalText } from './text.ts';

/**
 * A cursor names a place in a list by the sort values and id of the last row shown, with a digest of the filters and
 * the order that it belongs to. It survives inserts and deletes; it does not fit another list.
 * @source campaigns 1.6
 */
export interface Cursor {
  /** Sort values of the last row, in the order of the sort keys; the id last. */
  readonly after: readonly (string | number | null)[];
}

/** The opaque text of a cursor. `list` is everything that must not change between pages. */
export function encodeCursor(cursor: Cursor, list: string): string {
  return Buffer.from(`${digest(list)}${JSON.stringify(cursor.after)}`).toString('base64url');
}

/** Reads a cursor back; undefined when it is garbled or belongs to another list. */
export function decodeCursor(text: string, list: string, length: number): Cursor | undefined {
  const plain = Buffer.from(text, 'base64url').toString();
  if (!plain.startsWith(digest(list)) || Buffer.from(plain).toString('base64url') !== text) return undefined;
  try {
    const after: unknown = JSON.parse(plain.slice(DIGEST_LENGTH));
    if (!Array.isArray(after) || after.length !== length) return undefined;
    // A forged cursor must not bring a text to a database that it refuses.
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
