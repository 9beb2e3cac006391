import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secureRandom } from '../base/random.ts';
import type { DemoKeys } from './demo-world.ts';

/** What `dev.json` in the data folder holds: where the service is, and the keys of the demo world. */
export type DevFile = {
  readonly base_url: string;
  readonly ads_url: string;
  readonly sandbox_url: string;
  /** Where the certificate lies that clients must trust; absent over plain http. */
  readonly tls_ca?: string;
  /** Lets an operator make any event happen, while the simulator is on. */
  readonly operator_token?: string;
} & DemoKeys;

/** The file with addresses and keys. */
export function devFilePath(dataFolder: string): string {
  return join(dataFolder, 'dev.json');
}

/** The addresses and keys that were written last; undefined when there are none. */
export function readDevFile(dataFolder: string): DevFile | undefined {
  const path = devFilePath(dataFolder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DevFile) : undefined;
}

/** Writes addresses and keys, readable by their owner alone. Nobody ever sees half of the file. */
export function writeDevFile(dataFolder: string, file: DevFile): void {
  writePrivately(devFilePath(dataFolder), `${JSON.stringify(file, null, 2)}\n`);
  rmSync(keysPath(dataFolder), { force: true });
}

/** Keeps new keys until there are addresses to write beside them. */
export function writeKeys(dataFolder: string, keys: DemoKeys): void {
  writePrivately(keysPath(dataFolder), JSON.stringify(keys));
}

/** The keys that were written last, with addresses or without; undefined when there are none. */
export function readKeys(dataFolder: string): DemoKeys | undefined {
  const file = readDevFile(dataFolder);
  if (file) {
    const { base_url, ads_url, sandbox_url, tls_ca, operator_token, ...keys } = file;
    return keys;
  }
  const path = keysPath(dataFolder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DemoKeys) : undefined;
}

function keysPath(dataFolder: string): string {
  return join(dataFolder, 'keys.json');
}

const MASTER_KEY = 'master.key';

/** The key that seals secrets of a development folder: made once, kept beside the database. */
export function ensureMasterKey(dataFolder: string): string {
  return ownSecret(dataFolder, MASTER_KEY);
}

/** The same key, of a folder in which it was made; undefined in every other. */
export function findMasterKey(dataFolder: string): string | undefined {
  return existsSync(join(dataFolder, MASTER_KEY)) ? ensureMasterKey(dataFolder) : undefined;
}

/** The token that operators of a development folder present: made once. */
export function ensureOperatorToken(dataFolder: string): string {
  return ownSecret(dataFolder, 'operator.token');
}

function ownSecret(dataFolder: string, name: string): string {
  const path = join(dataFolder, name);
  if (!existsSync(path)) writePrivately(path, `${secureRandom.bytes(32).toString('hex')}\n`);
  return readFileSync(path, 'utf8').trim();
}

/** Makes the folder when it is missing; others on the machine cannot look into it. */
export function ensureDataFolder(dataFolder: string): void {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
}

/** Forgets what earlier runs left in the folder: embedded database, used nonces, addresses and keys. */
export function resetDataFolder(dataFolder: string): void {
  for (const name of ['barker.db', 'barker.db-wal', 'barker.db-shm', 'dev.json', 'keys.json']) {
    rmSync(join(dataFolder, name), { force: true });
  }
  rmSync(join(dataFolder, 'nonces'), { recursive: true, force: true });
}

function writePrivately(path: string, content: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
