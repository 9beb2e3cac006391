import { type LoadPlan, load } from './rig/load.ts';
import { interleaved, median, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

/** What it costs to keep requests for developers: the load of `get`, on servers that do and do not. */
export async function run(): Promise<void> {
  const targets = { kept: await startBarker({ recordsRequests: true }), 'not kept': await startBarker() };
  const cpu_us: Record<string, number[]> = { kept: [], 'not kept': [] };
  const measured = async (name: string, barker: Target) => {
    const { path, campaign } = await accountWithCampaigns(barker, 40);
    const paths = [`${path}/campaigns/${campaign}`];
    const { file } = barker;
    const plan: LoadPlan = {
      ...{ method: 'GET', paths, requests: 80_000, connections: 32, seconds: 2, keys: file, origin: file.sandbox_url },
    };
    return async () => {
      const before = barker.cpu_s();
      const { perSecond, completed } = await load(plan);
      cpu_us[name]!.push(((barker.cpu_s() - before) * 1e6) / completed);
      return perSecond;
    };
  };
  const results = await interleaved(15, {
    kept: await measured('kept', targets.kept),
    'not kept': await measured('not kept', targets['not kept']),
  });
  printRates('signed GET of one campaign, with the last requests kept in memory and without', results);
  printRatio('kept / not kept', ratio(results.kept, results['not kept']), 'at least 0.9');
  printRates('processor time of the server, a request', cpu_us, ' us');
  process.stdout.write(`  kept / not kept: ${(median(cpu_us.kept!) / median(cpu_us['not kept']!)).toFixed(2)}\n`);
  process.stdout.write(`  memory after the run: ${Math.round(targets.kept.memory() / 1e6)} MB\n`);
  await Promise.all(Object.values(targets).map((each) => each.close()));
}
