import { type LoadPlan, load } from './rig/load.ts';
import { interleaved, median, megabytes, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBare, startBarker } from './rig/target.ts';

/** A signed GET of one campaign against a bare web server that returns the same bytes. */
export async function run(place: { folder?: string; databaseUrl?: string } = {}): Promise<void> {
  const barker = await startBarker(place);
  const { path, campaign } = await accountWithCampaigns(barker, 40);
  const one = `${path}/campaigns/${campaign}`;
  const { text } = await sandboxClient(barker).call('GET', one);
  const bare = await startBare(text);
  const plan = { method: 'GET', paths: [one], requests: 80_000, connections: 32, seconds: 2, keys: barker.file };
  const cpu_us: Record<string, number[]> = { barker: [], bare: [] };
  const measured = (name: string, target: { cpu_s(): number }, full: LoadPlan) => async () => {
    const before = target.cpu_s();
    const { perSecond, completed } = await load(full);
    cpu_us[name]!.push(((target.cpu_s() - before) * 1e6) / completed);
    return perSecond;
  };
  const results = await interleaved(5, {
    barker: measured('barker', barker, { ...plan, origin: barker.file.sandbox_url }),
    bare: measured('bare', bare, { ...plan, origin: bare.origin }),
  });
  printRates(`signed GET of one campaign (${place.databaseUrl ? 'PostgreSQL' : 'SQLite'})`, results);
  printRatio(
    'barker / bare',
    ratio(results.barker, results.bare),
    place.databaseUrl ? 'at least 0.35' : 'at least 0.35, aim 0.5',
  );
  printRates('processor time of the server, a request', cpu_us, ' us');
  process.stdout.write(`  bare / barker: ${(median(cpu_us.bare!) / median(cpu_us.barker!)).toFixed(2)}\n`);
  process.stdout.write(
    `  memory after the run: ${megabytes(barker.memory())}, at most ${megabytes(barker.memoryPeak())}\n`,
  );
  await Promise.all([barker.close(), bare.close()]);
}
