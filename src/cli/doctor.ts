import type { Command } from 'commander';
import { SettingsError } from '../settings/load.ts';
import type { Settings } from '../settings.ts';
import { type DevServer, devServerOf } from './dev-server.ts';
import { error, type Finding, ok } from './doctor/finding.ts';
import { print } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';

const MARKS: Readonly<Record<Finding['level'], string>> = { ok: 'ok       ', warning: 'warning  ', error: 'error    ' };

/** `barker doctor`: exit code 1 when there is an error. */
export function doctorCommand(command: Command): void {
  addSettings(command, 'serve', ['data_folder', 'database_url'])
    .option('--json', 'Print JSON')
    .addHelpText(
      'after',
      '\nRead-only, but for an object that it stores and removes in object_store. Exit code: 1 if there is an error, otherwise 0.\n\nExample:\n  barker doctor --config barker.json',
    )
    .action(async () => {
      const findings = await examineAll(command);
      print(command.opts().json === true ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings));
      process.exitCode = findings.some(({ level }) => level === 'error') ? 1 : 0;
    });
}

async function examineAll(command: Command): Promise<Finding[]> {
  const { settings, dev, findings } = examineSettings(command);
  if (!settings) return findings;
  const { examineMachine } = await import('./doctor/machine.ts');
  const { examineDataFolder } = await import('./doctor/machine.ts');
  const { examineDatabase } = await import('./doctor/database.ts');
  const { examineRedis } = await import('./doctor/dependencies.ts');
  const { examineObjects } = await import('./doctor/dependencies.ts');
  const { examineAddresses } = await import('./doctor/addresses.ts');
  const { examineService } = await import('./doctor/dependencies.ts');
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
      // It needs nothing of what a server in production does.
      const what = ok(`${settings.data_folder} is the data folder of a development server`);
      return { settings: dev.settings, dev, findings: [what] };
    } catch {
      return { findings };
    }
  }
}

function formatFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ level, message, advice }) => {
    const mend = advice === undefined ? '' : `\n${' '.repeat(MARKS.ok.length)}  ${advice}`;
    return `${MARKS[level]}${message}${mend}\n`;
  });
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length;
  const plural = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? '' : 's'}`;
  return `${lines.join('')}${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}\n`;
}
