import { hash } from 'node:crypto';
import { isLegalText } from './text.ts';

/**
 * A position in a list: the sort values and id of the last row. Encoded with a digest of the filters and order, it survives
 * inserts and deletes, and is invalid for any other list.
 * @source campaigns 1.6; decision 46
 */
interface Cursor {
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

/**
 * Encodes a position in a version 2 list as at least 16 characters of 0-9 and a-v, with a digest of the list it belongs to.
 * @source activity 17.3
 */
export function encodePageToken(after: string, list: string): string {
  const bytes = Buffer.concat([tokenDigest(list), Buffer.from(after)]);
  const bits = bytes.length * 8;
  const length = Math.ceil(bits / DIGIT_BITS);
  const padded = BigInt(`0x${bytes.toString('hex')}`) << BigInt(length * DIGIT_BITS - bits);
  return padded.toString(RADIX).padStart(length, '0').padEnd(LENGTH_MIN, '0');
}

/**
 * Decodes a page token to the position that the page starts after; undefined when it is invalid or belongs to another
 * list.
 */
export function decodePageToken(token: string, list: string): string | undefined {
  if (!/^[0-9a-v]{16,400}$/.test(token)) return undefined;
  let padded = 0n;
  for (const digit of token) padded = (padded << BigInt(DIGIT_BITS)) | BigInt(Number.parseInt(digit, RADIX));
  const length = Math.floor((token.length * DIGIT_BITS) / 8);
  const hex = (padded >> BigInt(token.length * DIGIT_BITS - length * 8)).toString(16).padStart(length * 2, '0');
  const bytes = Buffer.from(hex, 'hex');
  if (!bytes.subarray(0, DIGEST_BYTES).equals(tokenDigest(list))) return undefined;
  const after = bytes.subarray(DIGEST_BYTES).toString().replace(/\0+$/, '');
  return isLegalText(after) && encodePageToken(after, list) === token ? after : undefined;
}

const RADIX = 32;
const DIGIT_BITS = 5;
const DIGEST_BYTES = 6;
const LENGTH_MIN = 16;

function tokenDigest(list: string): Buffer {
  return Buffer.from(hash('sha256', list), 'hex').subarray(0, DIGEST_BYTES);
}
