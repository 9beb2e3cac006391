import { decodeCursor } from '../../base/cursor.ts';
import { text } from '../../contract/declare/fields.ts';
import { problem } from '../../contract/problems/problems.ts';

/** The parameter of lists with pages. */
export const cursorParameter = text({ max: 2000 }).describe('The `next_cursor` of the previous page.');

/**
 * The position after which a page of a list begins, in the order of times; undefined without a cursor.
 * @param prefix what the cursors of the list begin with
 * @throws CURSOR_INVALID
 */
export function readTimeCursor(
  cursor: unknown,
  list: string,
  prefix = '',
): readonly [time: string, id: string] | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const raw = String(cursor);
  const [time, id] = (raw.startsWith(prefix) && decodeCursor(raw.slice(prefix.length), list, 2)?.after) || [];
  if (typeof time === 'string' && typeof id === 'string') return [time, id];
  throw problem('CURSOR_INVALID', { parameter: 'cursor', words: { raw } });
}
