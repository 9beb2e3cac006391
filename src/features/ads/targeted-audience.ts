import { Type } from '../../base/json-schema.ts';
import { boolean } from '../../contract/declare/fields.ts';
import {
  type AccountCall,
  type AccountOperation,
  type SerializeContext,
  serializeContext,
} from '../../contract/declare/operation.ts';
import { AUDIENCE_READERS } from '../../contract/declare/roles.ts';
import { problem } from '../../contract/problems/problems.ts';
import type { TargetingLineItem } from '../../contract/store/custom-audiences.ts';
import { encodeSummary, LINE_ITEMS_SUMMARY } from '../../contract/store/line-items-summary.ts';
import { checkId } from '../../rows/keys.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { type Campaign, campaigns } from './campaigns.ts';
import { type LineItem, lineItems } from './line-items.ts';
import { servability } from './servability.ts';
import { cursorParameter, cutPage, readTimeCursor } from './time-cursor.ts';

const CAMPAIGNS_A_PAGE = 200;
const LINES_AT_ONCE = 500;

const lineSchema = Type.Closed(
  { id: Type.String(), name: Type.Nullable(Type.String()), servable: Type.Boolean() },
  { title: 'Line item that targets an audience' },
);
const campaignSchema = Type.Closed(
  {
    campaign_id: Type.String(),
    campaign_name: Type.String(),
    line_items: Type.Array(lineSchema, { minItems: 1 }),
  },
  { title: 'Campaign that targets an audience' },
);

/**
 * Lists the line items that include or exclude an audience, by campaign, newest first.
 * @source advertising 17; creatives 21; decision 264
 */
export const targetedAudience: AccountOperation = {
  id: 'custom_audiences.targeted',
  method: 'GET',
  path: '/12/accounts/:account_id/custom_audiences/:custom_audience_id/targeted',
  description: 'List the line items that target an audience, by campaign.',
  group: 'custom_audiences',
  family: 'ads',
  roles: AUDIENCE_READERS,
  rate: 'account_reads_small',
  parameters: {
    with_active: boolean().defaults(1).describe('Only servable line items; false for all.'),
    cursor: cursorParameter,
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(campaignSchema),
  problems: ['CUSTOM_AUDIENCE_NOT_FOUND', 'ID_ILLEGAL', 'CURSOR_INVALID'],
  perform: (call) =>
    call.services.store.read(async (tx) => {
      const audience = await findAudienceId(tx, call);
      const list = JSON.stringify(['targeted', call.account.id, audience, call.input.with_active ?? 1]);
      const after = readTimeCursor(call.input.cursor, list);
      const lines = await tx.audiences.listTargeting(call.account.id, audience);
      const found = await targetingCampaigns(serializeContext(call, tx), lines, call.input.with_active !== 0);
      const rest = found.filter((campaign) => !after || isAfter(campaign, after));
      const { rows, nextCursor } = cutPage(rest, CAMPAIGNS_A_PAGE, ({ created_at }) => created_at, list);
      return { data: `[${rows.map(({ json }) => json).join(',')}]`, nextCursor };
    }),
};

async function findAudienceId(tx: ReadTransaction, { account, path }: AccountCall): Promise<string> {
  const id = path.custom_audience_id!;
  const about = { parameter: 'custom_audience_id', value: id, words: { kind: 'Custom audience' } };
  checkId(id, 'custom_audience_id', 'Custom audience');
  const [usable] = await tx.audiences.listUsable(account.id, [id]);
  if (!usable) throw problem('CUSTOM_AUDIENCE_NOT_FOUND', about);
  return id;
}

type Position = Pick<Campaign, 'id' | 'created_at'>;

/** Tests whether a row follows a position in descending order of time, then id. */
function isAfter({ created_at, id }: Position, [time, other]: readonly [created_at: string, id: string]): boolean {
  return created_at === time ? id < other : created_at < time;
}

/** Returns the targeting campaigns, with their JSON text, newest first. */
async function targetingCampaigns(
  context: SerializeContext,
  targeting: readonly TargetingLineItem[],
  activeOnly: boolean,
): Promise<(Position & { readonly json: string })[]> {
  const { tx, account } = context;
  const creatives = new Map(targeting.map(({ id, creative }) => [id, creative]));
  const lines = await inBatches([...creatives.keys()], (ids) =>
    tx.records.getMany(lineItems, account.id, ids, { deleted: 'hidden' }),
  );
  const byCampaign = Map.groupBy(lines.toSorted(newestFirst), (line) => String(line.campaign_id));
  const rows = await inBatches([...byCampaign.keys()], (ids) =>
    tx.records.getMany(campaigns, account.id, ids, { deleted: 'hidden' }),
  );
  const isServable = await servabilityOf(context, rows);
  return rows.toSorted(newestFirst).flatMap((row) => {
    const { id, created_at, name } = row;
    const line_items = byCampaign
      .get(id)!
      .map((line) => ({ id: line.id, name: line.name, servable: isServable(row, line, creatives.get(line.id)!) }))
      .filter(({ servable }) => servable || !activeOnly);
    if (line_items.length === 0) return [];
    return [{ id, created_at, json: JSON.stringify({ campaign_id: id, campaign_name: name, line_items }) }];
  });
}

function newestFirst(one: Position, other: Position): number {
  return isAfter(other, [one.created_at, one.id]) ? -1 : 1;
}

/** A line item is servable if its campaign would be with this line item alone. @source decision 263 */
async function servabilityOf(context: SerializeContext, rows: readonly Campaign[]) {
  const outcome = await servability.prepare(rows, context);
  return (campaign: Campaign, line: LineItem, creative: TargetingLineItem['creative']): boolean => {
    const { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total } = line;
    const only = {
      entity_status: String(line.entity_status),
      start_time: line.start_time,
      end_time: line.end_time,
      hasBudget: daily !== null || total !== null,
      creative,
    };
    const alone = { ...campaign, [LINE_ITEMS_SUMMARY]: encodeSummary([only]) };
    return only.entity_status === 'ACTIVE' && outcome(alone).servable === 1;
  };
}

async function inBatches<T>(ids: readonly string[], read: (ids: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < ids.length; at += LINES_AT_ONCE) found.push(...(await read(ids.slice(at, at + LINES_AT_ONCE))));
  return found;
}
