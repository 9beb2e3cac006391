import { parseKeyEntries, parseMasterKey } from '../base/secret-box.ts';
import type { Settings } from '../settings.ts';

/** The settings of master keys. */
export type MasterKeySettings = Pick<Settings, 'master_key' | 'master_key_id' | 'master_keys_old'>;

/** The configured master keys by id. */
export function configuredKeys(settings: MasterKeySettings): Readonly<Record<string, Buffer>> {
  const { master_key, master_key_id, master_keys_old } = settings;
  return { ...parseKeyEntries(master_keys_old), ...(master_key && { [master_key_id]: parseMasterKey(master_key) }) };
}
