import type { PageCallReply } from '../../contract/declare/pages.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import { type Problems, problemsOf } from '../parts/form-problems.ts';
import { type ListRow, stateOfRow } from './cell-text.ts';
import type { EntityList } from './entity-lists.ts';

/** Rows that are shown first. */
const ROWS = 100;
const [ROWS_A_CALL, ROWS_MAX] = [1000, 50_000];

/** What the address asks for. */
export interface ListQuery {
  readonly q: string | undefined;
  /** `field-asc` or `field-desc`. */
  readonly sort: string | undefined;
  readonly cursor: string | undefined;
  readonly view: 'plain' | undefined;
  /** The id of what the rows belong to. */
  readonly within: string | undefined;
  /** The state that is shown; the API does not select by it. */
  readonly state: string | undefined;
}

/** Reads the address; what is not of the list is left out. */
export function queryOf({ request }: AccountVisit, { columns, states }: EntityList): ListQuery {
  const get = request.method === 'GET' ? request.parameter : () => undefined;
  const [field, order] = (get('sort') ?? '').split('-');
  const isSort =
    columns.some(({ name, isSortable }) => name === field && isSortable) && (order === 'asc' || order === 'desc');
  return {
    q: get('q')?.trim() || undefined,
    sort: isSort ? `${field}-${order}` : undefined,
    cursor: get('cursor') || undefined,
    view: get('view') === 'plain' ? 'plain' : undefined,
    within: get('within') || undefined,
    state: states.find((state) => state === get('state')),
  };
}

/** Rows that are shown first, and where the list goes on. */
export interface FirstRows {
  readonly rows: readonly ListRow[];
  readonly next: string | null;
  /** Rows in all, where they were counted. */
  readonly total: number;
  /** Why the list could not be read. */
  readonly refused?: Problems;
}

/** The rows that a page shows first. */
export function firstRows(visit: AccountVisit, list: EntityList, query: ListQuery): Promise<FirstRows> {
  return query.state === undefined ? rowsOfAnyState(visit, list, query) : rowsOfState(visit, list, query);
}

async function rowsOfAnyState({ call }: AccountVisit, list: EntityList, query: ListQuery): Promise<FirstRows> {
  const { q, cursor, sort, within } = query;
  const { reply } = await call(`${list.resource}.list`, {
    parameters: {
      ...{ count: ROWS, q, cursor, sort_by: sort, with_total_count: cursor === undefined, with_draft: true },
      [list.within.parameter]: within,
    },
  });
  const rows: readonly ListRow[] = reply.data ?? [];
  return { rows, next: reply.next_cursor ?? null, total: reply.total_count ?? rows.length };
}

/** The same of rows in one state: the API does not select by it, so that all are read. */
async function rowsOfState(visit: AccountVisit, list: EntityList, query: ListQuery): Promise<FirstRows> {
  const rows: ListRow[] = [];
  let next: string | null | undefined;
  let total = 0;
  const refusal = await eachPage(visit, list, query, (page, after) => {
    total += page.length;
    if (next !== undefined) return;
    rows.push(...page);
    if (rows.length >= ROWS) next = after;
  });
  if (refusal) return { rows: [], next: null, total: 0, refused: problemsOf(refusal, []) };
  return { rows, next: next ?? null, total };
}

/** Reads a list in large pages, as many rows as are added up or written to a file. @returns the call that was refused. */
async function eachPage(
  { call }: AccountVisit,
  list: EntityList,
  { q, sort, within, state, cursor: first }: ListQuery,
  take: (rows: readonly ListRow[], next: string | null) => void,
): Promise<PageCallReply | undefined> {
  let cursor = first;
  let read = 0;
  do {
    const answer = await call(`${list.resource}.list`, {
      parameters: {
        ...{ count: ROWS_A_CALL, q, cursor, sort_by: sort, with_draft: true },
        [list.within.parameter]: within,
      },
    });
    if (!answer.isDone) return answer;
    const page: readonly ListRow[] = answer.reply.data;
    const next: string | null = answer.reply.next_cursor;
    read += page.length;
    take(state === undefined ? page : page.filter((row) => stateOfRow(row, texts).state === state.toLowerCase()), next);
    cursor = next ?? undefined;
  } while (cursor !== undefined && read < ROWS_MAX);
  return undefined;
}

/** All rows of a list, up to a limit; or the call that was refused. */
export async function allRows(visit: AccountVisit, list: EntityList): Promise<readonly ListRow[] | PageCallReply> {
  const rows: ListRow[] = [];
  const query = { ...queryOf(visit, list), cursor: undefined };
  return (await eachPage(visit, list, query, (page) => rows.push(...page))) ?? rows;
}
