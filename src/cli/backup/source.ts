import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../backup/backup.ts';
import type { MasterKeys } from '../../backup/examine.ts';
import { systemClock } from '../../base/clock.ts';
import { parseKeyEntries, parseMasterKey } from '../../base/secret-box.ts';
import { findMasterKey } from '../../dev/folder.ts';
import { openDriver } from '../../ground.ts';
import type { Settings } from '../../settings.ts';
import { programVersion } from '../../version.ts';
import { CommandFailed } from '../failure.ts';
import { print } from '../output.ts';

/** Tells what a command is doing. */
export function progress(line: string): void {
  print(`${line}\n`);
}

/** The master keys that are configured, or lie in the folder of a development service; none is needed for copying. */
export function masterKeysOf({ master_key, master_key_id, master_keys_old, data_folder }: Settings): MasterKeys {
  const key = master_key || findMasterKey(data_folder);
  return { ...(key && { [master_key_id]: parseMasterKey(key) }), ...parseKeyEntries(master_keys_old) };
}

/** Opens the database of the settings for copying it, whichever steps it has. */
export async function withSource<T>(settings: Settings, work: (source: Source) => Promise<T>): Promise<T> {
  const { data_folder: folder, database_url } = settings;
  const file = join(folder, 'barker.db');
  if (database_url === '' && !existsSync(file)) throw new CommandFailed(`there is no database at ${file}`);
  const driver = await openDriver(settings);
  try {
    const about = { keys: masterKeysOf(settings), release: programVersion, now: systemClock.now(), progress };
    return await work({ driver, folder, ...about });
  } finally {
    await driver.close();
  }
}
