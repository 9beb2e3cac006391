import { type LoadPlan, load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker, type Target, type TargetSeams } from './rig/target.ts';

/** Durable creates by 32 clients, against the same without waiting for the disk, and without group commit. */
export async function run(): Promise<void> {
  const durable = await creator({ groupCommit: true });
  const volatile = await creator({ isSynced: false });
  const alone = await creator({ groupCommit: false });
  const results = await interleaved(5, {
    durable: durable.create,
    unsynced: volatile.create,
    'no group commit': alone.create,
  });
  printRates('creates by 32 clients (SQLite)', results);
  printRatio('durable / unsynced', ratio(results.durable, results.unsynced), 'at least 0.7');
  printRatio('durable / no group commit', ratio(results.durable, results['no group commit']), 'above 1');
  await Promise.all([durable, volatile, alone].map(({ target }) => target.close()));
}

/** A target, and what creates campaigns on it for two seconds. */
export async function creator(
  options: TargetSeams & { readonly databaseUrl?: string; readonly folder?: string },
): Promise<{ target: Target; create(): Promise<number> }> {
  const target = await startBarker(options);
  const { instrument, path } = await accountWithCampaigns(target, 40);
  const plan: LoadPlan = {
    origin: target.file.sandbox_url,
    keys: target.file,
    method: 'POST',
    paths: [`${path}/campaigns`],
    form: [
      ['name', 'Campaign #'],
      ['funding_instrument_id', instrument],
      ['entity_status', 'PAUSED'],
      ['daily_budget_amount_local_micro', '140000000'],
    ],
    requests: 30_000,
    connections: 32,
    seconds: 2,
  };
  return { target, create: async () => (await load(plan)).perSecond };
}
