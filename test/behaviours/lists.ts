import assert from 'node:assert/strict';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import type { Client, Reply } from '../rig/client.ts';
import { idOf, takes } from './test-account.ts';

/** Where a row stands in an order: the value of each key, then the id. Nulls last whichever the direction. */
export function inOrder(rows: readonly Row[], keys: readonly (readonly [string, 'asc' | 'desc'])[]): Row[] {
  const all = [...keys, ['id', keys.at(-1)![1]] as const];
  return [...rows].sort((a, b) => {
    for (const [name, direction] of all) {
      const [x, y] = [a[name] ?? null, b[name] ?? null];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      const difference =
        typeof x === 'number' ? x - Number(y) : Buffer.compare(Buffer.from(String(x)), Buffer.from(String(y)));
      if (difference !== 0) return direction === 'asc' ? difference : -difference;
    }
    return 0;
  });
}

/** The rows that a list shows when it is asked for all that it can show. */
export function listable(resource: AnyResource, rows: readonly Row[]): Row[] {
  return takes(resource, 'list', 'with_deleted') ? [...rows] : rows.filter((row) => row.deleted === 0);
}

/** The rows that a list shows without asking for deleted ones or drafts. */
export function visible(resource: AnyResource, rows: readonly Row[]): Row[] {
  const drafts = resource.list?.drafts as { field: string; value: string } | undefined;
  return rows.filter((row) => row.deleted === 0 && !(drafts && row[drafts.field] === drafts.value));
}

/** Query parameters that make a list show every row. */
export function everything(resource: AnyResource): Record<string, string> {
  return {
    ...(takes(resource, 'list', 'with_deleted') ? { with_deleted: 'true' } : {}),
    ...(resource.list?.drafts ? { with_draft: 'true' } : {}),
  };
}

/** Pages through a list to its end; each page must be full except the last. */
export async function pageThrough(
  client: Client,
  path: string,
  params: Record<string, string>,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Reply = await client.call('GET', path, {
      params: { ...params, count, ...(cursor === null ? {} : { cursor }) },
    });
    assert.equal(page.status, 200, page.text);
    ids.push(...page.body.data.map(idOf));
    cursor = page.body.next_cursor;
    if (cursor !== null) assert.equal(page.body.data.length, count, 'a page that has a next one is full');
    assert.ok(ids.length < 10_000, 'the list does not end');
  } while (cursor !== null);
  return ids;
}
