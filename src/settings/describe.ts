import { SETTING_GROUPS, type SettingName, type Settings, settingsTable } from '../settings.ts';
import type { SettingEntry } from './kinds.ts';
import { defaultOf, expectedOf, originsOf, type SettingSource } from './load.ts';

const entries: Readonly<Record<SettingName, SettingEntry>> = settingsTable;
const names = Object.keys(settingsTable) as SettingName[];

/** A setting for display; secrets read `(set)` or `(not set)`. */
interface SettingRow {
  readonly name: SettingName;
  readonly value: string;
  readonly source: SettingSource;
}

/** One row per setting of the mode. Throws unless `settings` is an object that `loadSettings` returned. */
export function describeSettings(settings: Settings): SettingRow[] {
  const origin = originsOf(settings);
  if (origin === undefined) throw new Error('settings were not loaded by loadSettings');
  const used = names.filter((name) => (entries[name].onlyIn ?? origin.mode) === origin.mode);
  return used.map((name) => {
    const value = String(settings[name]);
    const hidden = value === '' ? '(not set)' : '(set)';
    return { name, value: entries[name].secret ? hidden : value, source: origin.sources.get(name) ?? 'default' };
  });
}

/** The settings of the documentation, in Markdown: a table for each group. */
export function settingsMarkdown(): string {
  const grouped = new Set(Object.values(SETTING_GROUPS).flatMap((group) => Object.keys(group)));
  const groups = [
    ['The server', names.filter((name) => !grouped.has(name))] as const,
    ...Object.entries(SETTING_GROUPS).map(([title, group]) => [title, Object.keys(group) as SettingName[]] as const),
  ];
  const contents = groups.map(([title]) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join(' · ');
  const tables = groups.map(([title, of]) => `## ${title}\n\n${tableOf(of)}`);
  return `${[contents, ...tables].join('\n\n')}\n`;
}

function tableOf(of: readonly SettingName[]): string {
  const rows = of.map((name) => {
    const entry = entries[name];
    const [usual, dev] = [defaultOf(name, 'serve'), defaultOf(name, 'dev')].map((value) => `\`${value}\``);
    const byDefault = usual === '``' ? 'empty' : usual === dev ? usual : `${usual}, in dev ${dev}`;
    const notes = [entry.secret && 'secret', entry.required && `required in ${entry.required}`];
    const value = [expectedOf(entry), ...notes, entry.onlyIn && `${entry.onlyIn} only`].filter(Boolean).join('; ');
    return `| \`${name}\` | ${value} | ${byDefault} | ${entry.description} |`;
  });
  return ['| Setting | Value | Default | Why |', '|---|---|---|---|', ...rows].join('\n');
}
