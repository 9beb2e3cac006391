import assert from 'node:assert/strict';
import type { Client } from '../../test/rig/client.ts';

/** Creates a line item of a campaign that is not served, and returns its id. */
export async function newLine(client: Client, path: string, campaign_id: string): Promise<string> {
  const params = {
    campaign_id,
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_SERVICE',
    entity_status: 'PAUSED',
  };
  const made = await client.call('POST', `${path}/line_items`, { params });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

/** Adds so many keywords to a line item in one batch. */
export async function addKeywords(client: Client, account: string, line_item_id: string, count: number): Promise<void> {
  const json = Array.from({ length: count }, (_, index) => ({
    operation_type: 'Create',
    params: { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value: `keyword ${index}` },
  }));
  const reply = await client.call('POST', `/12/batch/accounts/${account}/targeting_criteria`, { json });
  assert.equal(reply.status, 200, reply.text.slice(0, 1000));
}
