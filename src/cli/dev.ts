import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secureRandom } from '../base/random.ts';
import { createDemoWorld, type DemoKeys } from '../dev/demo-world.ts';
import { openDriver, openParts, type Parts, type Seams, type Service, startListeners } from '../server.ts';
import type { Settings } from '../settings.ts';
import { dropSchema } from '../storage/migrate.ts';

/** What `dev.json` in the data folder holds: where the service is, and the keys of the demo world. */
export type DevFile = { readonly base_url: string; readonly ads_url: string; readonly sandbox_url: string } & DemoKeys;

/** The file with addresses and keys. */
export function devFilePath(dataFolder: string): string {
  return join(dataFolder, 'dev.json');
}

/** Starts development mode: schema, demo world, listeners; tells the addresses and keys in `dev.json`. */
export async function startDev(
  given: Settings,
  options: { readonly reset: boolean; readonly seams?: Seams },
): Promise<{ service: Service; file: DevFile }> {
  mkdirSync(given.data_folder, { recursive: true, mode: 0o700 });
  if (options.reset) await reset(given);
  const settings = given.master_key === '' ? { ...given, master_key: ownMasterKey(given.data_folder) } : given;
  const parts = await openParts('dev', settings, options.seams);
  const keys = await demoKeys(parts);
  const service = await startListeners('dev', parts);
  const file: DevFile = { base_url: service.url, ads_url: service.url, sandbox_url: service.sandboxUrl, ...keys };
  writeFileSync(devFilePath(settings.data_folder), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  return { service, file };
}

/** Forgets everything that an earlier run stored. */
async function reset(settings: Settings): Promise<void> {
  if (settings.database_url === '') {
    for (const end of ['', '-wal', '-shm']) rmSync(join(settings.data_folder, `barker.db${end}`), { force: true });
  } else {
    const driver = openDriver(settings);
    await dropSchema(driver);
    await driver.close();
  }
  rmSync(join(settings.data_folder, 'nonces'), { recursive: true, force: true });
  rmSync(devFilePath(settings.data_folder), { force: true });
}

/** The key that seals secrets of a development folder: made once, kept beside the database. */
function ownMasterKey(dataFolder: string): string {
  const path = join(dataFolder, 'master.key');
  if (!existsSync(path)) writeFileSync(path, secureRandom.bytes(32).toString('hex'), { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

/** The keys of the demo world, which is made if the database has none. */
async function demoKeys(parts: Parts): Promise<DemoKeys> {
  const demo = await parts.store.read((tx) => tx.credentials.findDemo());
  if (!demo) return createDemoWorld(parts);
  const path = devFilePath(parts.settings.data_folder);
  if (!existsSync(path)) {
    throw new Error(`the database has a demo world whose keys were in ${path}, which is gone; start with --reset`);
  }
  const { base_url, ads_url, sandbox_url, ...keys } = JSON.parse(readFileSync(path, 'utf8')) as DevFile;
  return keys;
}
