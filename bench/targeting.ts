import { systemClock } from '../src/base/clock.ts';
import { type Client, clientOf } from '../test/rig/client.ts';
import { addKeywords, newLine } from './rig/criteria.ts';
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

async function batches(client: Client, account: string, lines: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  for (const line of lines) await addKeywords(client, account, line, CRITERIA);
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
