import type { Command } from 'commander';
import { pause } from '../../base/timers.ts';
import type { ClockReply } from '../../dev/clock/clock-page.ts';
import { CommandFailed } from '../failure.ts';
import { printFields } from '../output.ts';
import { callTools, toolCommands } from './call-tools.ts';

/** Polling interval of a long advance. */
const LOOK_MS = 500;

/** `barker dev clock`. */
export function clockCommand(command: Command): void {
  const own = toolCommands(command, 'clock', 'now');
  const now = own('now', 'Show the clock');
  now.action(async () => show(await callTools(now, 'GET', '/clock')));
  const set = own(
    'set',
    'Move the clock forward at once; what is due on the way is done afterwards',
    'set 2026-03-02T09:00:00Z',
  );
  set
    .argument('<time>', 'A UTC time')
    .action(async (time: string) => show(await callTools(set, 'PUT', '/clock', { now: time })));
  const advance = own(
    'advance',
    'Move the clock forward through everything that is due on the way',
    'advance P7D\n  barker dev clock advance 2026-03-09T09:00:00Z',
  );
  advance
    .argument('<by>', 'A duration such as P7D, PT30M or P1DT2H, or a UTC time')
    .action(async (by: string) => show(await advanceTo(advance, /^\d{4}-/.test(by) ? { to: by } : { by })));
  const freeze = own('freeze', 'Let the clock stand still');
  freeze.action(async () => show(await callTools(freeze, 'PUT', '/clock', { mode: 'frozen' })));
  const run = own('run', 'Let the clock run on from what it shows');
  run.action(async () => show(await callTools(run, 'PUT', '/clock', { mode: 'running' })));
}

async function advanceTo(command: Command, body: object): Promise<ClockReply> {
  let clock = await callTools<ClockReply>(command, 'POST', '/clock/advance', body);
  while (clock.status === 'advancing') {
    await pause(LOOK_MS);
    clock = await callTools(command, 'GET', '/clock');
  }
  if (clock.failure !== undefined) throw new CommandFailed(clock.failure);
  return clock;
}

function show({ now, mode, offset_s, next_due }: ClockReply): void {
  const next = next_due ? `${next_due.kind} at ${next_due.at}` : 'nothing';
  printFields({ now, mode, offset_s: String(offset_s), next_due: next });
}
