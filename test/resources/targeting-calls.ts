import assert from 'node:assert/strict';
import type { Reply } from '../rig/client.ts';
import { openAccount, type World } from '../rig/world.ts';

/** Members of one criterion, and what else a call sends. */
export type Params = Readonly<Record<string, string>>;

/** A sandbox account with a campaign, and what tests do on it. */
export interface TargetingFixture {
  readonly account: string;
  readonly path: string;
  readonly campaign: string;
  /** Makes a line item, in a campaign of its own; the answer is its id. */
  line(kind?: Params): Promise<string>;
  /** Creates one criterion. */
  add(line: string, type: string, value: string, operator?: string): Promise<Reply>;
  /** Creates something that belongs to a line item. */
  post(resource: string, params: Params): Promise<Reply>;
  /** Sends a batch of criteria. */
  batch(items: readonly Item[]): Promise<Reply>;
  /** What is listed of some line items, as `type value operator`. */
  targeted(...lines: readonly string[]): Promise<string[]>;
}

/** An item of a batch. */
export interface Item {
  readonly operation_type: string;
  readonly params: Params;
}

/** An item that creates a criterion. */
export function createItem(line: string, type: string, value: string, operator?: string): Item {
  return { operation_type: 'Create', params: criterion(line, type, value, operator) };
}

/** An item that deletes a criterion. */
export function deleteItem(id: string): Item {
  return { operation_type: 'Delete', params: { targeting_criterion_id: id } };
}

function criterion(line_item_id: string, targeting_type: string, targeting_value: string, operator?: string): Params {
  const operator_type: Params = operator === undefined ? {} : { operator_type: operator };
  return { line_item_id, targeting_type, targeting_value, ...operator_type };
}

/** Opens an account to target things on. */
export async function openFixture(world: World): Promise<TargetingFixture> {
  const { account, instrument, path } = await openAccount(world.sandbox);
  const post = (resource: string, params: Params) => world.sandbox.call('POST', `${path}/${resource}`, { params });
  const newCampaign = async () =>
    good(await post('campaigns', { name: 'Given', funding_instrument_id: instrument, entity_status: 'PAUSED' })).id;
  const campaign = await newCampaign();
  const list = (lines: readonly string[]) =>
    world.sandbox.call('GET', `${path}/targeting_criteria`, {
      params: { line_item_ids: lines.join(','), sort_by: 'created_at-asc', count: 1000 },
    });
  return {
    account,
    path,
    campaign,
    post,
    async line(kind = {}) {
      const plain = { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' };
      const of = kind.campaign_id ?? (await newCampaign());
      return good(await post('line_items', { entity_status: 'PAUSED', ...plain, ...kind, campaign_id: of })).id;
    },
    add: (line, type, value, operator) => post('targeting_criteria', criterion(line, type, value, operator)),
    batch: (json) => world.sandbox.call('POST', `/12/batch/accounts/${account}/targeting_criteria`, { json }),
    async targeted(...lines) {
      const rows = good(await list(lines)) as unknown as Record<string, string>[];
      return rows.map((row) => `${row.targeting_type} ${row.targeting_value} ${row.operator_type}`);
    },
  };
}

/** What a call that succeeded answered with. */
export function good(reply: Reply): { id: string } & Record<string, unknown> {
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

/** The faults of each item of a batch: code and what it is about. */
export function itemErrors(reply: Reply): string[] {
  assert.equal(reply.status, 400, reply.text);
  return reply.body.operation_errors.map((errors: { code: string; parameter?: string; attribute?: string }[]) =>
    errors.map(({ code, parameter, attribute }) => `${code} ${parameter ?? attribute}`).join('; '),
  );
}
