import { decodeCursor, encodeCursor } from '../../base/cursor.ts';
import { text } from '../../contract/declare/fields.ts';
import { problem } from '../../contract/problems/problems.ts';

/** The cursor parameter of paged lists. */
export const cursorParameter = text({ max: 2000 }).describe('The `next_cursor` of the previous page.');

/**
 * Decodes the position before a page of a list sorted by time; undefined without a cursor.
 * @param prefix prefix of the cursors of the list
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

/** Cuts off the extra row that reveals a next page, and builds the cursor of that page. */
export function cutPage<R extends { readonly id: string }>(
  found: readonly R[],
  count: number,
  timeOf: (row: R) => string,
  list: string,
): { readonly rows: readonly R[]; readonly nextCursor: string | null } {
  const rows = found.slice(0, count);
  const last = found.length > count ? rows.at(-1) : undefined;
  return { rows, nextCursor: last ? encodeCursor({ after: [timeOf(last), last.id] }, list) : null };
}
