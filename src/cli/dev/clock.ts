import type { Command } from 'commander';
import { pause } from '../../base/timers.ts';
import { CommandFailed } from '../failure.ts';
import { printFields } from '../output.ts';
import { callTools } from './call-tools.ts';

/** The reply of the calls for the clock. */
interface ShownClock {
  readonly now: string;
  readonly mode: string;
  readonly offset_s: number;
  readonly status: string;
  readonly next_due: { readonly at: string; readonly kind: string } | null;
  readonly failure?: string;
}

/** How often a long advance is asked for its end, in milliseconds. */
const LOOK_MS = 500;

/** `barker dev clock`. */
export function clockCommand(command: Command): void {
  const own = (name: string, about: string, example: string): Command =>
    command
      .command(name, { isDefault: name === 'now' })
      .description(about)
      .option('--data <folder>', 'Data folder of the development server', process.env.BARKER_DATA_FOLDER || './data')
      .addHelpText('after', `\nExample:\n  barker dev clock ${example}`);

  const now = own('now', 'Show the clock', 'now');
  now.action(async () => {
    show(await callTools(now.opts().data, { method: 'GET', path: '/clock' }));
  });
  const set = own(
    'set',
    'Move the clock forward at once; what is due on the way is done afterwards',
    'set 2026-03-02T09:00:00Z',
  );
  set.argument('<time>', 'A UTC time').action(async (time: string) => {
    show(await callTools(set.opts().data, { method: 'PUT', path: '/clock', body: { now: time } }));
  });
  const advance = own(
    'advance',
    'Move the clock forward through everything that is due on the way',
    'advance P7D\n  barker dev clock advance 2026-03-09T09:00:00Z',
  );
  advance.argument('<by>', 'A duration such as P7D, PT30M or P1DT2H, or a UTC time').action(async (by: string) => {
    const body = /^\d{4}-/.test(by) ? { to: by } : { by };
    show(await advanceTo(advance.opts().data, body));
  });
  const freeze = own('freeze', 'Let the clock stand still', 'freeze');
  freeze.action(async () => {
    show(await callTools(freeze.opts().data, { method: 'PUT', path: '/clock', body: { mode: 'frozen' } }));
  });
  const run = own('run', 'Let the clock run on from what it shows', 'run');
  run.action(async () => {
    show(await callTools(run.opts().data, { method: 'PUT', path: '/clock', body: { mode: 'running' } }));
  });
}

async function advanceTo(dataFolder: string, body: object): Promise<unknown> {
  let shown = (await callTools(dataFolder, { method: 'POST', path: '/clock/advance', body })) as ShownClock;
  while (shown.status === 'advancing') {
    await pause(LOOK_MS);
    shown = (await callTools(dataFolder, { method: 'GET', path: '/clock' })) as ShownClock;
  }
  if (shown.failure !== undefined) throw new CommandFailed(shown.failure);
  return shown;
}

function show(reply: unknown): void {
  const { now, mode, offset_s, next_due } = reply as ShownClock;
  const next = next_due ? `${next_due.kind} at ${next_due.at}` : 'nothing';
  printFields({ now, mode, offset_s: String(offset_s), next_due: next });
}
