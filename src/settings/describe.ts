import { type SettingName, type Settings, settingsTable } from '../settings.ts';
import type { SettingEntry } from './kinds.ts';
import { originsOf, type SettingSource } from './load.ts';

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
