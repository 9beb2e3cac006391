import type { Command } from 'commander';
import { SettingsError } from '../settings/load.ts';
import type { Settings } from '../settings.ts';
import { type DevServer, devServerOf } from './dev-server.ts';
import { examineAddresses } from './doctor/addresses.ts';
import { examineDatabase } from './doctor/database.ts';
import { examineObjects, examineRedis, examineService } from './doctor/dependencies.ts';
import { error, type Finding, ok } from './doctor/finding.ts';
import { examineDataFolder, examineMachine } from './doctor/machine.ts';
import { printJson, printLine } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

/** `barker doctor`: exit code 1 when there is an error. */
export function configure(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .option('--json', 'Print JSON')
    .addHelpText(
      'after',
      '\nRead-only, but for an object that it stores and removes in object_store. Exit code: 1 if there is an error, otherwise 0.\n\nExample:\n  barker doctor --config barker.json',
    )
    .action(async () => {
      const findings = await examineAll(command);
      if (command.opts().json) printJson(findings);
      else printFindings(findings);
      process.exitCode = findings.some(({ level }) => level === 'error') ? 1 : 0;
    });
}

async function examineAll(command: Command): Promise<Finding[]> {
  const { settings, dev, findings } = examineSettings(command);
  if (!settings) return findings;
  return [
    ...(await examineMachine(settings)),
    ...findings,
    ...(await examineDataFolder(settings)),
    ...(await examineDatabase(settings)),
    ...(await examineRedis(settings)),
    ...(await examineObjects(settings)),
    ...(dev ? [] : examineAddresses(settings)),
    ...(await examineService(settings, dev?.file())),
  ];
}

/** The settings, if they are usable, and the problems with them. */
function examineSettings(command: Command): {
  readonly settings?: Settings;
  readonly dev?: DevServer;
  readonly findings: Finding[];
} {
  try {
    return { settings: settingsFrom(command, 'serve'), findings: [ok('the settings are complete')] };
  } catch (failure) {
    if (!(failure instanceof SettingsError)) throw failure;
    const findings = failure.problems.map((problem) => error(problem, 'run barker config print to see every setting'));
    try {
      const settings = settingsFrom(command, 'serve', true);
      const dev = devServerOf(settings);
      if (!dev) return { settings, findings };
      // Production settings do not apply to it.
      const finding = ok(`${settings.data_folder} is the data folder of a development server`);
      return { settings: dev.settings, dev, findings: [finding] };
    } catch {
      return { findings };
    }
  }
}

function printFindings(findings: readonly Finding[]): void {
  for (const { level, message, advice } of findings) {
    printLine(`${level.padEnd(9)}${message}`);
    if (advice !== undefined) printLine(`${' '.repeat(11)}${advice}`);
  }
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length;
  const plural = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;
  printLine(`${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}`);
}
