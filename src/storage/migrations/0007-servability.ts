import type { Migration } from './schema-builder.ts';

const THEIRS =
  'line_items.account_id = campaigns.account_id and line_items.campaign_id = campaigns.id and line_items.deleted = 0';

const SHOWN = `select 1 from promoted_accounts where promoted_accounts.account_id = line_items.account_id
  and promoted_accounts.line_item_id = line_items.id and promoted_accounts.deleted = 0`;

const LETTERS = [
  [
    'b',
    'line_items.daily_budget_amount_local_micro is not null or line_items.total_budget_amount_local_micro is not null',
  ],
  ['r', `line_items.entity_status <> 'DRAFT' and exists (${SHOWN})`],
  ['s', `line_items.entity_status = 'ACTIVE' and exists (${SHOWN})`],
  ['a', `line_items.entity_status = 'ACTIVE' and exists (${SHOWN} and approval_status <> 'REJECTED')`],
].map(
  ([letter, holds]) =>
    `case when exists (select 1 from line_items where ${THEIRS} and (${holds})) then '${letter}' else '' end`,
);

const SPANS = `select distinct coalesce(line_items.start_time, '') || '/' || coalesce(line_items.end_time, '') as span from line_items where ${THEIRS}`;

/**
 * Stores a summary of a campaign's line items with the campaign, computed here for existing ones; overlapping time
 * spans are merged when a line item changes.
 */
export const servability: Migration = {
  name: '0007-servability',
  olderServers: 'stop',
  statements: ({ addColumn }) => [
    addColumn('campaigns', (t) => t.text('line_items_summary').nullable()),
    `update campaigns set line_items_summary = ${LETTERS.join(' || ')} || ' ' ||
      (select string_agg(span, ' ') from (${SPANS}) as spans)
      where exists (select 1 from line_items where ${THEIRS})`,
  ],
};
