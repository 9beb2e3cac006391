import assert from 'node:assert/strict';
import { systemClock } from '../src/base/clock.ts';
import { type Client, clientOf } from '../test/rig/client.ts';
import { load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

const CRITERIA = 500;
const BATCHES = 4;

/** 500 keywords of a line item in one batch, against 500 single calls one after the other, and against 32 at a time. */
export async function run(): Promise<void> {
  const target = await startBarker();
  // Replies are not looked into: the client shares the machine with the server.
  const client = clientOf(target.file.sandbox_url, target.file, systemClock, () => {});
  const { account, path, campaign } = await accountWithCampaigns(target, 1);
  const line = () => newLine(client, path, campaign);
  const results = await interleaved(5, {
    batch: async () => batches(client, account, await Promise.all(Array.from({ length: BATCHES }, line))),
    'one by one': async () => singles(target, path, await line(), 1),
    '32 at a time': async () => singles(target, path, await line(), 32),
  });
  printRates(`targeting criteria a second, ${CRITERIA} keywords of a line item (SQLite)`, results);
  printRatio('batch / one by one', ratio(results.batch, results['one by one']), 'at least 10');
  printRatio('batch / 32 at a time', ratio(results.batch, results['32 at a time']), 'none');
  await target.close();
}

async function newLine(client: Client, path: string, campaign_id: string): Promise<string> {
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

async function batches(client: Client, account: string, lines: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  for (const line_item_id of lines) {
    const json = Array.from({ length: CRITERIA }, (_, index) => ({
      operation_type: 'Create',
      params: { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value: `keyword ${index}` },
    }));
    const reply = await client.call('POST', `/12/batch/accounts/${account}/targeting_criteria`, { json });
    assert.equal(reply.status, 200, reply.text.slice(0, 1000));
  }
  return (lines.length * CRITERIA * 1000) / (performance.now() - startedAt);
}

async function singles(target: Target, path: string, line: string, connections: number): Promise<number> {
  const { perSecond } = await load({
    origin: target.file.sandbox_url,
    keys: target.file,
    method: 'POST',
    paths: [`${path}/targeting_criteria`],
    form: [
      ['line_item_id', line],
      ['targeting_type', 'BROAD_KEYWORD'],
      ['targeting_value', 'keyword #'],
    ],
    requests: CRITERIA,
    connections,
    seconds: 60,
  });
  return perSecond;
}
