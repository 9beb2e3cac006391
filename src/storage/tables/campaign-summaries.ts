import { type RawBuilder, sql } from 'kysely';
import type { AnyResource } from '../../contract/declare/resource.ts';
import { encodeSummary, LINE_ITEMS_SUMMARY, type SummarizedLineItem } from '../../contract/store/line-items-summary.ts';
import { allListed, inList } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import { updateRows } from '../core/table-rows.ts';
import type { WrittenRow } from './records.ts';

/** The tables of creatives: each has `line_item_id`, `approval_status` and `deleted`. */
const CREATIVES = ['promoted_accounts', 'promoted_posts', 'scheduled_promoted_posts', 'media_creatives'] as const;

/** Columns of a line item and of its creatives whose changes affect the campaign's summary. */
const COLUMNS: ReadonlySet<string> = new Set([
  'entity_status',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'approval_status',
  'deleted',
]);

/** Ids of changed line items and creatives, by table and account. */
type ChangedIds = Map<string, Map<string, Set<string>>>;

/** Keeps each campaign's summary of its line items up to date during one unit of work. */
export class CampaignSummaries {
  readonly #session;
  readonly #onReplaced;
  readonly #changed: ChangedIds = new Map();

  /** @param onReplaced called with the id of each campaign whose summary `flush` replaces */
  constructor(session: Session, onReplaced: (campaign: string) => void) {
    this.#session = session;
    this.#onReplaced = onReplaced;
  }

  /** Records rows about to be written. */
  note({ table }: AnyResource, rows: readonly WrittenRow[], columns: readonly string[] = []): void {
    if (table !== 'line_items' && !CREATIVES.some((creatives) => creatives === table)) return;
    if (!columns.some((column) => COLUMNS.has(column))) return;
    for (const { account_id, id } of rows) {
      if (account_id === undefined) continue;
      const tables = this.#changed.get(account_id) ?? new Map<string, Set<string>>();
      const known = tables.get(table) ?? new Set<string>();
      known.add(id);
      this.#changed.set(account_id, tables.set(table, known));
    }
  }

  /** Recomputes the summaries of affected campaigns; called last in a unit of work. */
  async flush(): Promise<void> {
    for (const [account, tables] of this.#changed) {
      await recomputeSummaries(this.#session, account, tables, this.#onReplaced);
    }
    this.#changed.clear();
  }
}

async function recomputeSummaries(
  session: Session,
  account: string,
  tables: Map<string, Set<string>>,
  onReplaced: (campaign: string) => void,
): Promise<void> {
  const lines = new Set(tables.get('line_items'));
  for (const table of CREATIVES) {
    for (const id of await lineItemsOf(session, table, account, tables.get(table) ?? [])) lines.add(id);
  }
  const campaigns = await campaignsOf(session, account, lines);
  // Campaigns are locked before their line items are read: another unit of work that changes one of their line items
  // waits, and then sees this change.
  const before = await summaries(session, account, campaigns);
  const after = await linesOf(session, account, campaigns);
  for (const [id, summary] of before) {
    const now = encodeSummary(after.get(id) ?? []);
    if (now === summary) continue;
    await updateRows(session, 'campaigns', { [LINE_ITEMS_SUMMARY]: now }, { account_id: account, id });
    onReplaced(id);
  }
}

/** The line items of rows of a creatives table. */
async function lineItemsOf(
  session: Session,
  table: (typeof CREATIVES)[number],
  account: string,
  values: Iterable<string>,
): Promise<string[]> {
  const rows = await allListed(session, `delivery ${table}`, [...values], { account }, (db, ids, param) =>
    db
      .selectFrom(table)
      .select('line_item_id')
      .where('account_id', '=', param('account'))
      .where((eb) => inList(eb, 'id', ids)),
  );
  return rows.map(({ line_item_id }) => line_item_id);
}

/** The distinct campaigns of line items. */
async function campaignsOf(session: Session, account: string, lines: Iterable<string>): Promise<string[]> {
  const rows = await allListed(session, 'delivery campaigns', [...lines], { account }, (db, ids, param) =>
    db
      .selectFrom('line_items')
      .select('campaign_id')
      .where('account_id', '=', param('account'))
      .where((eb) => inList(eb, 'id', ids)),
  );
  return [...new Set(rows.map(({ campaign_id }) => campaign_id))];
}

async function summaries(
  session: Session,
  account: string,
  campaigns: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await allListed(session, 'delivery summaries', campaigns, { account }, (db, ids, param) => {
    const all = db
      .selectFrom('campaigns')
      .select(['id', LINE_ITEMS_SUMMARY])
      .where('account_id', '=', param('account'))
      .where((eb) => inList(eb, 'id', ids));
    return session.dialect === 'postgres' ? all.orderBy('id').forUpdate() : all;
  });
  return new Map(rows.map((row) => [row.id, row[LINE_ITEMS_SUMMARY]]));
}

/** The live line items of campaigns, each with the status of its creatives. */
async function linesOf(
  session: Session,
  account: string,
  campaigns: readonly string[],
): Promise<Map<string, SummarizedLineItem[]>> {
  const found = new Map<string, SummarizedLineItem[]>();
  const rows = await allListed(session, 'delivery lines', campaigns, { account }, (db, ids, param) =>
    db
      .selectFrom('line_items')
      // A literal, because a partial index of live rows serves no bound condition.
      .where('deleted', '=', sql.lit(0))
      .select(['campaign_id', 'entity_status', 'start_time', 'end_time', creativeStatus().as('creative')])
      .select(
        sql<number | null>`coalesce(daily_budget_amount_local_micro, total_budget_amount_local_micro)`.as('budget'),
      )
      .where('account_id', '=', param('account'))
      .where((eb) => inList(eb, 'campaign_id', ids)),
  );
  for (const { campaign_id, budget, ...line } of rows) {
    const others = found.get(campaign_id) ?? [];
    others.push({ ...line, hasBudget: budget !== null });
    found.set(campaign_id, others);
  }
  return found;
}

/**
 * The creative status of a line item: `accepted` if any is, `rejected` if all are rejected or in review, otherwise
 * `none`.
 * @source decision 1082
 */
export function creativeStatus(): RawBuilder<SummarizedLineItem['creative']> {
  return sql`case when ${hasCreative(sql`and approval_status = 'ACCEPTED'`)} then 'accepted'
    when ${hasCreative(sql``)} then 'rejected' else 'none' end`;
}

type Condition = ReturnType<typeof sql>;

/** Whether a line item has a live creative that meets a further condition. */
function hasCreative(further: Condition): Condition {
  const found = CREATIVES.map((table) => {
    const of = sql.table(table);
    return sql`exists (select 1 from ${of} where ${of}.account_id = line_items.account_id
      and ${of}.line_item_id = line_items.id and ${of}.deleted = 0 ${further})`;
  });
  return sql`(${sql.join(found, sql` or `)})`;
}
