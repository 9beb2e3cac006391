import { texts } from '../../texts/texts.ts';
import type { AccountVisit, CallParameters } from '../account-visit.ts';
import { bodyOf } from '../refused-call.ts';
import { type DeliveryStatuses, type ListRow, stateOfRow, withDeliveryStatus } from './cell-text.ts';
import { type EntityList, STATES } from './entity-lists.ts';

/** Rows on the first page. */
const ROWS = 100;
const [ROWS_A_CALL, ROWS_MAX] = [1000, 50_000];

/** The query parameters of the page. */
export interface ListQuery {
  readonly q: string | undefined;
  /** `field-asc` or `field-desc`. */
  readonly sort: string | undefined;
  readonly cursor: string | undefined;
  readonly view: 'plain' | undefined;
  /** The id of the parent to filter by. */
  readonly within: string | undefined;
  /** The selected state; the API cannot filter by it. */
  readonly state: string | undefined;
}

/** Parses the query of the page; unknown parameters are ignored. */
export function parseListQuery({ request }: AccountVisit, { columns }: EntityList): ListQuery {
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
    state: STATES.find((state) => state === get('state')),
  };
}

/** The first rows, and the cursor of the next page. */
export interface FirstRows {
  readonly rows: readonly ListRow[];
  readonly next: string | null;
  /** The total number of rows, if it was counted. */
  readonly total: number;
}

/** A list of an account with the delivery status of its rows. */
export interface StandingList extends EntityList {
  readonly standings: DeliveryStatuses;
}

/** Reads the rows of the first page. */
export function firstRows(visit: AccountVisit, list: StandingList, query: ListQuery): Promise<FirstRows> {
  return query.state === undefined ? rowsOfAnyState(visit, list, query) : rowsOfState(visit, list, query);
}

async function rowsOfAnyState(visit: AccountVisit, list: StandingList, query: ListQuery): Promise<FirstRows> {
  const counted = { with_total_count: query.cursor === undefined };
  const { rows, next, total_count } = await readPage(visit, list, { ...parametersOf(list, query, ROWS), ...counted });
  return { rows, next, total: total_count ?? rows.length };
}

async function readPage(
  { call }: AccountVisit,
  { resource, standings }: StandingList,
  parameters: CallParameters,
): Promise<{ readonly rows: ListRow[]; readonly next: string | null; readonly total_count?: number }> {
  const { data, next_cursor: next, total_count } = bodyOf(await call(`${resource}.list`, parameters));
  return { rows: data.map((row: ListRow) => withDeliveryStatus(resource, row, standings)), next, total_count };
}

/** `firstRows` for one state: the API cannot filter by it, so all rows are read. */
async function rowsOfState(visit: AccountVisit, list: StandingList, query: ListQuery): Promise<FirstRows> {
  const rows: ListRow[] = [];
  let next: string | null | undefined;
  let total = 0;
  await eachPage(visit, list, query, (page, after) => {
    total += page.length;
    if (next === undefined) {
      rows.push(...page);
      if (rows.length >= ROWS) next = after;
    }
    // The total is counted only on the first page.
    return next === undefined || query.cursor === undefined;
  });
  return { rows, next: next ?? null, total };
}

/** Builds the parameters of a list call for `count` rows. */
function parametersOf(list: EntityList, { q, cursor, sort, within }: ListQuery, count: number) {
  return { count, q, cursor, sort_by: sort, with_draft: true, [list.within.parameter]: within };
}

/**
 * Reads a list in large pages, as many rows as are added up or written to a file.
 * @param take takes the rows of a page that are in the state; whether it wants more
 */
async function eachPage(
  visit: AccountVisit,
  list: StandingList,
  query: ListQuery,
  take: (rows: readonly ListRow[], next: string | null) => boolean,
): Promise<void> {
  const { state } = query;
  let { cursor } = query;
  let wantsMore = true;
  let read = 0;
  do {
    const parameters = parametersOf(list, { ...query, cursor }, ROWS_A_CALL);
    const { rows: page, next } = await readPage(visit, list, parameters);
    read += page.length;
    wantsMore = take(
      state === undefined ? page : page.filter((row) => stateOfRow(row, texts).state === state.toLowerCase()),
      next,
    );
    cursor = next ?? undefined;
  } while (cursor !== undefined && wantsMore && read < ROWS_MAX);
}

/** Reads all rows of a list, up to a limit. */
export async function allRows(visit: AccountVisit, list: StandingList): Promise<readonly ListRow[]> {
  const rows: ListRow[] = [];
  const query = { ...parseListQuery(visit, list), cursor: undefined };
  await eachPage(visit, list, query, (page) => {
    rows.push(...page);
    return true;
  });
  return rows;
}
