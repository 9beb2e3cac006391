import type { SettingEntry } from '../../src/settings/kinds.ts';
import { defaultOf, expectedOf } from '../../src/settings/load.ts';
import { SETTING_GROUPS, type SettingName, settingsTable } from '../../src/settings.ts';

const entries: Readonly<Record<SettingName, SettingEntry>> = settingsTable;
const names = Object.keys(settingsTable) as SettingName[];

/** A setting described for people. */
export interface SettingWords {
  readonly name: SettingName;
  /** What it accepts. */
  readonly value: string;
  /** Its default, in Markdown. */
  readonly byDefault: string;
  readonly about: string;
}

/** All settings by group. */
export function settingGroups(): readonly (readonly [title: string, settings: readonly SettingWords[]])[] {
  const grouped = new Set(Object.values(SETTING_GROUPS).flatMap((group) => Object.keys(group)));
  return [
    ['The server', names.filter((name) => !grouped.has(name)).map(wordsOf)],
    ...Object.entries(SETTING_GROUPS).map(
      ([title, group]) => [title, (Object.keys(group) as SettingName[]).map(wordsOf)] as const,
    ),
  ];
}

function wordsOf(name: SettingName): SettingWords {
  const entry = entries[name];
  const [usual, dev] = [defaultOf(name, 'serve'), defaultOf(name, 'dev')].map((value) => `\`${value}\``);
  const byDefault = usual === '``' ? 'empty' : usual === dev ? `${usual}` : `${usual}, in dev ${dev}`;
  const notes = [entry.secret && 'secret', entry.required && `required in ${entry.required}`];
  const value = [expectedOf(entry), ...notes, entry.onlyIn && `${entry.onlyIn} only`].filter(Boolean).join('; ');
  return { name, value, byDefault, about: entry.description };
}

/** The settings in Markdown: a table for each group. */
export function settingsMarkdown(): string {
  const groups = settingGroups();
  const contents = groups.map(([title]) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join(' · ');
  const tables = groups.map(([title, settings]) => {
    const rows = settings.map(
      ({ name, value, byDefault, about }) => `| \`${name}\` | ${value} | ${byDefault} | ${about} |`,
    );
    return [`## ${title}\n\n| Setting | Value | Default | Why |`, '|---|---|---|---|', ...rows].join('\n');
  });
  return `${[contents, ...tables].join('\n\n')}\n`;
}
