import { systemClock } from '../../src/base/clock.ts';
import { type Client, clientOf } from '../../test/rig/client.ts';
import { openAccount } from '../../test/rig/world.ts';
import { load } from './load.ts';
import type { Target } from './target.ts';

/** A signing client of a target's sandbox. */
export function sandboxClient(target: Target): Client {
  return clientOf(target.file.sandbox_url, target.file, systemClock);
}

/** A sandbox account with campaigns. */
export async function accountWithCampaigns(
  target: Target,
  count: number,
): Promise<{ account: string; instrument: string; path: string; campaign: string }> {
  const client = sandboxClient(target);
  const opened = await openAccount(client);
  let campaign = '';
  for (let made = 0; made < count; made += 40) {
    const json = Array.from({ length: Math.min(40, count - made) }, (_, index) => ({
      operation_type: 'Create',
      params: {
        name: `Campaign ${made + index}`,
        funding_instrument_id: opened.instrument,
        entity_status: 'PAUSED',
        daily_budget_amount_local_micro: 140_000_000,
      },
    }));
    const path = `/12/batch/accounts/${opened.account}/campaigns`;
    const reply = await client.call('POST', path, { json });
    campaign = reply.body.data[0].id;
  }
  return { ...opened, campaign };
}

/** The median of many signed reads of the sandbox, one after the other, in milliseconds. */
export async function timedCall({ file }: Target, path: string): Promise<number> {
  const plan = { origin: file.sandbox_url, keys: file, method: 'GET', requests: 5000, seconds: 2 };
  return (await load({ ...plan, paths: [path], connections: 1 })).p50_ms;
}
