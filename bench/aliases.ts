import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadPlan, load } from './rig/load.ts';
import { interleaved, median, printRates } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

/** Signed GETs of one campaign and of 200, with the alias file of the documentation and without one. */
export async function run(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const aliases = join(home, 'words.json');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/aliases.md', 'utf8')) ?? [];
  writeFileSync(aliases, example);
  const folders = { without: join(home, 'without'), with: join(home, 'with') };
  const paths = { without: await filled(folders.without), with: await filled(folders.with) };
  const targets = {
    without: await startBarker({ folder: folders.without }),
    with: await startBarker({ folder: folders.with, aliases }),
  };
  for (const [what, pathOf, requests] of [
    ['one campaign', (at: Place) => `${at.path}/campaigns/${at.campaign}`, 60_000],
    ['200 campaigns', (at: Place) => `${at.path}/campaigns?count=200`, 6000],
  ] as const) {
    const cpu_us: Record<string, number[]> = { without: [], with: [] };
    const measured = (name: 'without' | 'with') => {
      const target = targets[name];
      const plan = { method: 'GET', paths: [pathOf(paths[name])], requests, connections: 32, seconds: 2 };
      const full: LoadPlan = { ...plan, keys: target.file, origin: target.file.sandbox_url };
      return async () => {
        const before = target.cpu_s();
        const { perSecond, completed } = await load(full);
        cpu_us[name]!.push(((target.cpu_s() - before) * 1e6) / completed);
        return perSecond;
      };
    };
    const results = await interleaved(5, { without: measured('without'), with: measured('with') });
    printRates(`signed GET of ${what}, without and with an alias file`, results);
    printRates('processor time of the server, a request', cpu_us, ' us');
    process.stdout.write(`  with - without: ${(median(cpu_us.with!) - median(cpu_us.without!)).toFixed(1)} us\n`);
  }
  await Promise.all(Object.values(targets).map((target: Target) => target.close()));
  rmSync(home, { recursive: true });
}

interface Place {
  readonly path: string;
  readonly campaign: string;
}

/** Makes campaigns in a folder, in the words of the service itself. */
async function filled(folder: string): Promise<Place> {
  const barker = await startBarker({ folder });
  const { path, campaign } = await accountWithCampaigns(barker, 200);
  await barker.close();
  return { path, campaign };
}
