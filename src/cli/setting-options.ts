import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Mode, SettingEntry } from '../settings/kinds.ts';
import { defaultOf, flagOf, loadSettings, type SettingsInput } from '../settings/load.ts';
import { type SettingName, type Settings, settingsTable } from '../settings.ts';

const entries: Readonly<Record<SettingName, SettingEntry>> = settingsTable;
const names = Object.keys(settingsTable) as SettingName[];
/** The options that give settings. */
const options = new WeakMap<Option, SettingName>();

/**
 * Adds a flag for each setting of the mode; help shows those in `visible`. Secrets have no flag, because other users of
 * the machine can see the arguments of a process; the database URL is an exception, for development.
 */
export function addSettings(command: Command, mode: Mode, visible: readonly SettingName[]): Command {
  command.option('--config <file>', 'Settings file (JSON)');
  for (const name of ordered(visible)) {
    const entry = entries[name];
    if ((entry.secret && name !== 'database_url') || (entry.onlyIn ?? mode) !== mode) continue;
    if (entry.isOfServer && !visible.includes(name)) continue;
    const usual = entry.secret ? '' : String(defaultOf(name, mode));
    const about = `${entry.description}${usual === '' ? '' : ` (${usual})`}`;
    const value = entry.kind === 'boolean' ? '[true|false]' : `<${placeholderOf(entry)}>`;
    const option = new Option(`${flagOf(name)} ${value}`, about).hideHelp(!visible.includes(name));
    if (entry.kind === 'list') option.argParser((text, before?: string) => (before ? `${before},${text}` : text));
    options.set(option, name);
    command.addOption(option);
  }
  return command.addHelpText(
    'after',
    '\nEvery setting can be given as BARKER_<NAME>, in the settings file or, except secrets, as a flag.\nbarker config print lists them.',
  );
}

/** Adds the settings of a command that works on the database, and an example; `more` are further visible settings. */
export function onDatabase(command: Command, example: string, more: readonly SettingName[] = []): Command {
  return addSettings(command, 'serve', ['data_folder', 'database_url', ...more]).addHelpText(
    'after',
    `\nExample:\n  barker ${example}`,
  );
}

/**
 * Adds a subcommand that works on the database.
 * @param usage its name and arguments
 * @param example the arguments and options of the example in its help
 * @param run receives the command and the values of its arguments
 */
export function databaseCommand<Values extends unknown[]>(
  parent: Command,
  usage: string,
  about: string,
  example: string,
  run: (command: Command, ...values: Values) => Promise<void>,
  settings: readonly SettingName[] = [],
): Command {
  const command = parent.command(usage).description(about);
  const line = `${parent.name()} ${command.name()} ${example}`.trimEnd();
  return onDatabase(command, line, settings).action((...values) => run(command, ...(values as Values)));
}

function ordered(visible: readonly SettingName[]): SettingName[] {
  return [...visible, ...names.filter((name) => !visible.includes(name))];
}

function placeholderOf(entry: SettingEntry): string {
  if (entry.choices) return entry.choices.join('|');
  if (entry.kind === 'integer') return 'n';
  const { expected = '' } = entry;
  if (entry.kind === 'list') return 'list';
  return /address/.test(expected) ? 'address' : (/(folder|file)/.exec(expected)?.[0] ?? 'text');
}

/** Whether an option is a setting, or the settings file. */
export function isSettingOption(option: Option): boolean {
  return option.long === '--config' || options.has(option);
}

/**
 * The settings from defaults, file, environment and flags; the only reader of the environment. `defaults` replaces those
 * of the mode.
 */
export function settingsFrom(
  command: Command,
  mode: Mode,
  incomplete = false,
  defaults: SettingsInput['defaults'] = {},
): Settings {
  const input = command.opts();
  const flags: Record<string, unknown> = {};
  for (const option of command.options) {
    const name = options.get(option);
    if (name) flags[name] = input[option.attributeName()];
  }
  const readFile = (path: string) => readFileSync(path, 'utf8');
  return loadSettings({ mode, file: input.config, environment: process.env, flags, incomplete, defaults, readFile });
}
