import { type DevFile, findMasterKey, readDevFile } from '../dev/dev-folder.ts';
import { originsOf } from '../settings/load.ts';
import { type Settings, settingsTable } from '../settings.ts';

/** A development server, whose data folder a command works on. */
export interface DevServer {
  /** Those of the command, with the master key and the callback rules of the server. */
  readonly settings: Settings;
  /** The addresses and keys of its last start; undefined when they are lost. @throws Error when they are damaged */
  readonly file: () => DevFile | undefined;
}

/**
 * The development server of the data folder; undefined for other folders, and when the command has a master key.
 * @source decision 606
 */
export function devServerOf(settings: Settings): DevServer | undefined {
  const master_key = settings.master_key === '' ? findMasterKey(settings.data_folder) : undefined;
  if (master_key === undefined) return undefined;
  const callback_schemes = originsOf(settings)?.sources.has('callback_schemes')
    ? settings.callback_schemes
    : (settingsTable.callback_schemes.default_dev ?? []);
  return { settings: { ...settings, master_key, callback_schemes }, file: () => readDevFile(settings.data_folder) };
}
