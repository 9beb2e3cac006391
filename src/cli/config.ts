import { type Command, Option } from 'commander';
import { describeSettings } from '../settings/describe.ts';
import type { Mode } from '../settings/kinds.ts';
import { printJson, printLine } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker config print`. */
export function configure(command: Command): void {
  const own = command.command('print').description('Print every setting, its value and its source');
  addSettings(own, 'serve', [])
    .addOption(
      new Option('--mode <mode>', 'Print the settings of this command').choices(['dev', 'serve']).default('serve'),
    )
    .option('--json', 'Print JSON')
    .addHelpText('after', '\nExample:\n  barker config print --config barker.json')
    .action(() => printSettings(own));
}

function printSettings(command: Command): void {
  const { mode, json } = command.opts<{ mode: Mode; json?: boolean }>();
  const rows = describeSettings(settingsFrom(command, mode, true));
  if (json) return void printJson(rows);
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const { name, value, source } of rows) {
    printLine(`${name.padEnd(width)}  ${source.padEnd(11)}  ${value}`);
  }
}
