import { sql } from 'kysely';
import type { Delivery, LineItemsOfCampaign } from '../contract/delivery.ts';
import { addValues, among, type Builder, sizeFor } from './lists.ts';
import type { Session } from './session.ts';
import type { Argument, Queries, Value } from './statements.ts';

/** Where what a line item shows is kept: each has `line_item_id`, `approval_status` and `deleted`. */
const CREATIVES: readonly string[] = ['promoted_accounts'];

/** What campaigns deliver: one grouped statement for a page of them. */
export function deliveryOn(session: Session): Delivery {
  const { statements } = session;
  return {
    async listLineItems(account, campaigns, now) {
      if (campaigns.length === 0) return new Map();
      const size = sizeFor(campaigns.length);
      const statement = statements.of(`delivery ${size}`, (queries, argument) =>
        summed(queries, among(lineItemsOf(queries, argument), 'campaign_id', size, argument), argument),
      );
      const args: Record<string, Value> = { account, now };
      addValues(args, 'campaign_id', campaigns, size);
      const rows = await session.all(statement, args);
      return new Map(rows.map(({ campaign_id, ...counts }) => [campaign_id, numbered(counts)]));
    },
  };
}

/** The live line items of campaigns, each with whether it has something to show: 2 when some of it was not rejected. */
function lineItemsOf(queries: Queries, argument: Argument): Builder {
  const creative = sql<number>`case when ${hasCreative(sql`and approval_status <> 'REJECTED'`)} then 2
    when ${hasCreative(sql``)} then 1 else 0 end`;
  return (
    queries
      .selectFrom('line_items')
      .where('account_id', '=', argument('account'))
      // Written out, because an index of live rows serves no condition whose value is bound.
      .where('deleted', '=', sql.lit(0))
      .select(['campaign_id', 'entity_status', 'start_time', 'end_time', creative.as('creative')])
      .select(sql`coalesce(daily_budget_amount_local_micro, total_budget_amount_local_micro)`.as('budget'))
  );
}

function summed(queries: Queries, lines: Builder, argument: Argument): Builder {
  const now = argument('now');
  const unended = sql`(end_time is null or end_time > ${now})`;
  // Materialized, so that what a line item shows is looked up once and not for each count.
  return queries
    .with(
      (cte) => cte('lines').materialized(),
      () => lines,
    )
    .selectFrom('lines')
    .groupBy('campaign_id')
    .select([
      'campaign_id',
      counted(sql`1 = 1`).as('live'),
      counted(unended).as('unended'),
      counted(sql`${unended} and (start_time is null or start_time <= ${now})`).as('begun'),
      counted(sql`budget is not null`).as('budgeted'),
      counted(sql`entity_status <> 'DRAFT' and creative > 0`).as('ready'),
      counted(sql`entity_status = 'ACTIVE' and creative > 0`).as('showing'),
      counted(sql`entity_status = 'ACTIVE' and creative = 2`).as('accepted'),
    ]);
}

type Condition = ReturnType<typeof sql>;

function counted(condition: Condition): ReturnType<typeof sql<number>> {
  return sql<number>`sum(case when ${condition} then 1 else 0 end)`;
}

/** Whether a line item has something live to show, of which something further holds. */
function hasCreative(further: Condition): Condition {
  const found = CREATIVES.map((table) => {
    const of = sql.table(table);
    return sql`exists (select 1 from ${of} where ${of}.account_id = line_items.account_id
      and ${of}.line_item_id = line_items.id and ${of}.deleted = 0 ${further})`;
  });
  return found.length > 0 ? sql`(${sql.join(found, sql` or `)})` : sql`1 = 0`;
}

/** PostgreSQL answers sums as text. */
function numbered(counts: Record<string, unknown>): LineItemsOfCampaign {
  const numbers = Object.entries(counts).map(([name, value]) => [name, Number(value)]);
  return Object.fromEntries(numbers) as LineItemsOfCampaign;
}
