import type { ByteRange } from '../contract/services/objects.ts';

/**
 * The range of a `Range` header, for a representation of so many bytes: undefined when the whole is to be sent, as for
 * several ranges or an unreadable header, and `beyond` when no byte is in the range.
 * @source RFC 9110 14.2
 */
export function parseByteRange(header: string | undefined, bytes: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'beyond' : { start: bytes - length, end: bytes };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) return 'beyond';
  return { start: Number(first), end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
