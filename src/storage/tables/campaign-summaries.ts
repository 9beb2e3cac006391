import { sql } from 'kysely';
import type { AnyResource, Row } from '../../contract/declare/resource.ts';
import { LINE_ITEMS_SUMMARY, type LineItemOfCampaign, summaryOf } from '../../contract/store/delivery.ts';
import type { RecordsWriting } from '../../contract/store/store.ts';
import { type Builder, bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { QueryBuilder, Value } from '../core/statements.ts';

/** Where what a line item shows is kept: each has `line_item_id`, `approval_status` and `deleted`. */
const CREATIVES: readonly string[] = [
  'promoted_accounts',
  'promoted_posts',
  'scheduled_promoted_posts',
  'media_creatives',
];

/** Changes of these columns of a line item, or of what it shows, change what the campaign amounts to. */
const COLUMNS: ReadonlySet<string> = new Set([
  'entity_status',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'approval_status',
  'deleted',
]);

/** Keeps with each campaign what its line items amount to, whichever way they are written. */
export interface CampaignSummaries {
  /** Writes that note which campaigns they bear on. */
  trackedWrites(records: RecordsWriting): RecordsWriting;
  /** Writes anew what was noted; the last thing of a unit of work. */
  flush(): Promise<void>;
}

/** What changed in an account: ids of line items, and of what they show, by table. */
type Noted = Map<string, Map<string, Set<string>>>;

/** What campaigns deliver, during one unit of work. */
export function campaignSummariesOn(session: Session): CampaignSummaries {
  const noted: Noted = new Map();
  const note = (resource: AnyResource, account: string, ids: readonly string[], columns: readonly string[]): void => {
    if (resource.table !== 'line_items' && !CREATIVES.includes(resource.table)) return;
    if (!columns.some((column) => COLUMNS.has(column))) return;
    const tables = noted.get(account) ?? new Map<string, Set<string>>();
    const known = tables.get(resource.table) ?? new Set<string>();
    for (const id of ids) known.add(id);
    noted.set(account, tables.set(resource.table, known));
  };
  const noteNew = (resource: AnyResource, rows: readonly Row[]): void => {
    for (const row of rows) note(resource, row.account_id, [row.id], Object.keys(row));
  };
  return {
    trackedWrites: (records) => ({
      ...records,
      async insert(resource, row) {
        noteNew(resource, [row]);
        await records.insert(resource, row);
      },
      async insertAll(resource, rows) {
        noteNew(resource, rows);
        await records.insertAll(resource, rows);
      },
      async update(resource, key, changes) {
        if (key.account !== undefined) note(resource, key.account, [key.id], Object.keys(changes));
        await records.update(resource, key, changes);
      },
      async updateAll(resource, account, ids, changes) {
        note(resource, account, ids, Object.keys(changes));
        await records.updateAll(resource, account, ids, changes);
      },
    }),
    async flush() {
      for (const [account, tables] of noted) await settleAccount(session, account, tables);
      noted.clear();
    },
  };
}

async function settleAccount(session: Session, account: string, tables: Map<string, Set<string>>): Promise<void> {
  const lines = new Set(tables.get('line_items'));
  for (const table of CREATIVES) {
    for (const id of await parents(session, table, 'line_item_id', account, tables.get(table) ?? [])) lines.add(id);
  }
  const campaigns = await parents(session, 'line_items', 'campaign_id', account, lines);
  // Locked before their line items are read: whoever changes another of them waits, and then sees this change.
  const before = await summaries(session, account, campaigns);
  const after = await linesOf(session, account, campaigns);
  for (const [id, summary] of before) {
    const now = summaryOf(after.get(id) ?? []);
    if (now !== summary) await replace(session, account, id, now);
  }
}

/** What a column of rows says, each value once. */
async function parents(
  session: Session,
  table: string,
  column: string,
  account: string,
  ids: Iterable<string>,
): Promise<string[]> {
  const rows = await chosen(session, `${table} ${column}`, account, 'id', [...ids], (db) =>
    db.selectFrom(table).select(column),
  );
  return [...new Set(rows.map((row) => String(row[column])))];
}

async function summaries(
  session: Session,
  account: string,
  campaigns: readonly string[],
): Promise<Map<string, string | null>> {
  const locked = session.statements.dialect === 'postgres';
  const rows = await chosen(session, 'summaries', account, 'id', campaigns, (db) => {
    const all = db.selectFrom('campaigns').select(['id', LINE_ITEMS_SUMMARY]);
    return locked ? all.orderBy('id').forUpdate() : all;
  });
  return new Map(rows.map((row) => [row.id as string, row[LINE_ITEMS_SUMMARY] as string | null]));
}

/** The live line items of campaigns, each with whether it has something to show. */
async function linesOf(
  session: Session,
  account: string,
  campaigns: readonly string[],
): Promise<Map<string, LineItemOfCampaign[]>> {
  const rows = await chosen(session, 'lines', account, 'campaign_id', campaigns, (db) =>
    db
      .selectFrom('line_items')
      // Written out, because an index of live rows serves no condition whose value is bound.
      .where('deleted', '=', sql.lit(0))
      .select(['campaign_id', 'entity_status', 'start_time', 'end_time', creativeStatus().as('creative')])
      .select(sql`coalesce(daily_budget_amount_local_micro, total_budget_amount_local_micro)`.as('budget')),
  );
  const found = new Map<string, LineItemOfCampaign[]>();
  for (const { campaign_id, budget, ...line } of rows) {
    const others = found.get(campaign_id as string) ?? [];
    others.push({ ...line, hasBudget: budget !== null } as unknown as LineItemOfCampaign);
    found.set(campaign_id as string, others);
  }
  return found;
}

async function replace(session: Session, account: string, id: string, summary: string | null): Promise<void> {
  const statement = session.statements.cached('summarize', (db, param) =>
    db
      .updateTable('campaigns')
      .set({ [LINE_ITEMS_SUMMARY]: param('summary') })
      .where('account_id', '=', param('account'))
      .where('id', '=', param('id')),
  );
  await session.run(statement, { account, id, summary });
}

/** Rows of an account whose column has one of some values, in one statement. */
async function chosen(
  session: Session,
  shape: string,
  account: string,
  column: string,
  values: readonly string[],
  start: (db: QueryBuilder) => Builder,
): Promise<Record<string, unknown>[]> {
  if (values.length === 0) return [];
  const size = paddedSize(values.length);
  const statement = session.statements.cached(`delivery ${shape} ${size}`, (db, param) =>
    whereIn(start(db).where('account_id', '=', param('account')), column, size, param),
  );
  const args: Record<string, Value> = { account };
  bindList(args, column, values, size);
  return session.all(statement, args);
}

/** What a row of line items has to show: nothing, something that was rejected, or something that was not. */
export function creativeStatus(): ReturnType<typeof sql<string>> {
  return sql<string>`case when ${hasCreative(sql`and approval_status <> 'REJECTED'`)} then 'accepted'
    when ${hasCreative(sql``)} then 'rejected' else 'none' end`;
}

type Condition = ReturnType<typeof sql>;

/** Whether a line item has something live to show, of which something further holds. */
function hasCreative(further: Condition): Condition {
  const found = CREATIVES.map((table) => {
    const of = sql.table(table);
    return sql`exists (select 1 from ${of} where ${of}.account_id = line_items.account_id
      and ${of}.line_item_id = line_items.id and ${of}.deleted = 0 ${further})`;
  });
  return sql`(${sql.join(found, sql` or `)})`;
}
