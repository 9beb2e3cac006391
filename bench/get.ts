import { load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBare, startBarker } from './rig/target.ts';

/** A signed GET of one campaign against a bare web server that returns the same bytes. */
export async function run(databaseUrl?: string): Promise<void> {
  const barker = await startBarker({ databaseUrl });
  const { path, campaign } = await accountWithCampaigns(barker, 40);
  const one = `${path}/campaigns/${campaign}`;
  const { text } = await sandboxClient(barker).call('GET', one);
  const bare = await startBare(text);
  const plan = { method: 'GET', paths: [one], requests: 80_000, connections: 32, seconds: 2 };
  const results = await interleaved(5, {
    barker: async () => (await load({ ...plan, origin: barker.file.sandbox_url, keys: barker.file })).perSecond,
    bare: async () => (await load({ ...plan, origin: bare.origin, keys: barker.file })).perSecond,
  });
  printRates(`signed GET of one campaign (${databaseUrl ? 'PostgreSQL' : 'SQLite'})`, results);
  printRatio('barker / bare', ratio(results.barker, results.bare), 'at least 0.35, aim 0.5');
  process.stdout.write(`  memory after the run: ${Math.round(barker.memory() / 1e6)} MB\n`);
  await Promise.all([barker.close(), bare.close()]);
}
