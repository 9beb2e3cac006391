import { type ReadonlySignal, signal } from '@preact/signals';
import type { reasons, states } from '../../../texts/en/campaigns.ts';
import type { grid } from '../../../texts/en/grid.ts';
import { type DeliveryStatuses, type ListRow, stateOfRow, withDeliveryStatus } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { type ApiReply, callApi, isUnavailable, type Refusal, refusalOf } from '../page-api.ts';

/** The `data-input` of the island. */
export interface GridInput {
  /** The list path below `/console/api`. */
  readonly path: string;
  /** The batch path below `/console/api`. */
  readonly batchPath: string;
  /** The path of the account's pages. */
  readonly accountPath: string;
  readonly resource: 'campaigns' | 'line_items';
  readonly idName: string;
  readonly columns: readonly ListColumn[];
  /** The time zone of the account. */
  readonly zone: string;
  readonly loginPath: string;
  readonly q: string;
  /** The parent filter, as a query parameter. */
  readonly within: Readonly<Record<string, string>>;
  readonly sort?: string;
  /** The selected state, if the list is filtered by one. */
  readonly state?: string;
  /** Delivery status by id. */
  readonly standings: DeliveryStatuses;
  /** The first rows, and the cursor of the next page. */
  readonly rows: readonly ListRow[];
  readonly next: string | null;
  readonly total: number;
  readonly mayChange: boolean;
  readonly words: typeof grid & {
    readonly pause: string;
    readonly activate: string;
    readonly review: string;
    readonly count: string;
    readonly states: typeof states;
    readonly reasons: typeof reasons;
  };
}

/** The result of a change. */
export type Outcome =
  | { readonly is: 'done' }
  /** Another user has changed the field meanwhile; nothing was stored. */
  | { readonly is: 'conflict'; readonly row: ListRow }
  | Refusal;

/** The rows of a list, fetched on demand. */
export interface Rows {
  readonly rows: ReadonlySignal<readonly ListRow[]>;
  readonly total: ReadonlySignal<number>;
  /** The order of the rows: `field-asc` or `field-desc`. */
  readonly sort: ReadonlySignal<string | undefined>;
  /** Why the last call failed; undefined if it succeeded. */
  readonly trouble: ReadonlySignal<'signed out' | 'unreachable' | undefined>;
  /** Fetches until `count` rows are loaded, or all. */
  fetchTo(count: number): Promise<void>;
  /** Reloads in another order; keeps the current rows on failure. */
  sortBy(sort: string): Promise<void>;
  /** Retries the failed call. */
  tryAgain(): Promise<void>;
  /** The daily or total budget of the parent campaign; undefined if unlimited. */
  budgetAbove(row: ListRow, field: string): Promise<number | undefined>;
  /** Stores a field if its value has not changed since the page was loaded. */
  change(row: ListRow, field: string, value: string | number | null): Promise<Outcome>;
  /** Stores the status of several rows in atomic batches; stops at the first refused one. */
  changeStatus(
    rows: readonly ListRow[],
    status: string,
  ): Promise<{ readonly outcome: Outcome; readonly changed: readonly ListRow[] }>;
}

const ROWS_A_CALL = 1000;
/** Maximum number of rows in a batch. */
const BATCH_MAX = 40;

/** Creates the list from the rows of the page. */
export function openRows(input: GridInput): Rows {
  const rows = signal(input.rows);
  const total = signal(input.total);
  const sort = signal(input.sort);
  const trouble = signal<'signed out' | 'unreachable' | undefined>(undefined);
  const state = input.state?.toLowerCase();
  let { next, standings } = input;
  let fetching: Promise<void> = Promise.resolve();

  const call = async (...parameters: Parameters<typeof callApi>): Promise<ApiReply> => {
    const reply = await callApi(...parameters);
    trouble.value = reply.status === 401 ? 'signed out' : isUnavailable(reply) ? 'unreachable' : undefined;
    return reply;
  };
  /** Serializes fetches: a page of one order must not be appended to rows of another. */
  const inTurn = (fetch: () => Promise<void>): Promise<void> => {
    fetching = fetching.then(fetch);
    return fetching;
  };
  /** Fetches the next page, or the first of an order; resolves with whether it succeeded. */
  const fetchPage = async (order: string | undefined, cursor: string | undefined): Promise<boolean> => {
    const query = new URLSearchParams({ count: String(ROWS_A_CALL), with_draft: 'true', ...input.within });
    if (input.q !== '') query.set('q', input.q);
    if (order !== undefined) query.set('sort_by', order);
    if (cursor === undefined) query.set('with_total_count', 'true');
    else query.set('cursor', cursor);
    const { status, body } = await call('GET', `${input.path}?${query}`);
    if (status !== 200) return false;
    const { data, next_cursor, total_count } = body;
    const found: readonly ListRow[] = data.map(standing);
    const kept = state === undefined ? found : found.filter((row) => stateOfRow(row, input.words).state === state);
    rows.value = cursor === undefined ? kept : [...rows.value, ...kept];
    if (total_count !== undefined && state === undefined) total.value = total_count;
    sort.value = order;
    next = next_cursor;
    return true;
  };
  const standing = (row: ListRow): ListRow => withDeliveryStatus(input.resource, row, standings);
  const replace = (changed: readonly ListRow[]): void => {
    const byId = new Map(changed.map((row) => [row.id, standing(row)]));
    rows.value = rows.value.map((row) => byId.get(row.id) ?? row);
    void readStandings();
  };
  /** A change can affect the delivery status of other rows too. */
  const readStandings = async (): Promise<void> => {
    try {
      standings = await (await fetch(`${input.accountPath}/${input.resource}?format=standings`)).json();
      rows.value = rows.value.map(standing);
    } catch {
      // The next change refreshes it.
    }
  };

  return {
    rows,
    total,
    sort,
    trouble,
    fetchTo: (count) =>
      inTurn(async () => {
        while (rows.value.length < count && next !== null) if (!(await fetchPage(sort.value, next))) return;
      }),
    sortBy: (order) => inTurn(async () => void (await fetchPage(order, undefined))),
    tryAgain: async () => void (await call('GET', `${input.path}?count=1`)),
    async budgetAbove({ campaign_id }, field) {
      if (typeof campaign_id !== 'string' || !/_local_micro$/.test(field)) return undefined;
      const { status, body } = await call('GET', `${input.path.replace(/line_items$/, 'campaigns')}/${campaign_id}`);
      if (status !== 200) return undefined;
      const { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total } = body.data;
      return (field.startsWith('total') ? total : (daily ?? total)) ?? undefined;
    },
    async change(row, field, value) {
      const current = await call('GET', `${input.path}/${row.id}`);
      if (current.status !== 200) return refusalOf(current);
      const stored: ListRow = current.body.data;
      if (stored[field] !== row[field] && stored[field] !== value) {
        replace([stored]);
        return { is: 'conflict', row: stored };
      }
      const reply = await call('PUT', `${input.path}/${row.id}`, { [field]: value });
      if (reply.status !== 200) return refusalOf(reply);
      replace([reply.body.data]);
      return { is: 'done' };
    },
    async changeStatus(chosen, status) {
      for (let from = 0; from < chosen.length; from += BATCH_MAX) {
        const batch = chosen.slice(from, from + BATCH_MAX).map(({ id }) => ({
          operation_type: 'Update',
          params: { [input.idName]: id, entity_status: status },
        }));
        const reply = await call('POST', input.batchPath, batch);
        if (reply.status >= 300) return { outcome: refusalOf(reply), changed: chosen.slice(0, from) };
        replace(reply.body.data);
      }
      return { outcome: { is: 'done' }, changed: chosen };
    },
  };
}
