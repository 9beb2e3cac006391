import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadSettings } from '../settings/load.ts';
import { startDev } from './dev.ts';

/** Runs one command; resolves with the exit code. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const program = new Command('barker');
  program
    .command('dev')
    .option('--data <folder>')
    .option('--port <n>')
    .option('--sandbox-port <n>')
    .option('--database-url <url>')
    .option('--seed <n>')
    .option('--reset')
    .option('--rate-limits <s>')
    .action(async (o) => {
      const settings = loadSettings({
        mode: 'dev',
        environment: {},
        readFile: (p: string) => readFileSync(p, 'utf8'),
        flags: {
          data_folder: o.data,
          port: o.port,
          sandbox_port: o.sandboxPort,
          database_url: o.databaseUrl,
          seed: o.seed,
          rate_limits: o.rateLimits,
        },
      });
      const { file } = await startDev(settings, { reset: o.reset ?? false });
      console.log(JSON.stringify(file, null, 1));
    });
  await program.parseAsync([...argv], { from: 'user' });
  return 0;
}
