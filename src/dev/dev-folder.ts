import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secureRandom } from '../base/random.ts';
import { CLOCK_FILE } from './clock/clock-file.ts';
import type { DemoKeys } from './demo-world.ts';

/**
 * The contents of `dev.json` in the data folder: the addresses of the service, and the keys of the demo world. They
 * follow the database, without removed keys, such as a token after all were revoked.
 * @source decision 1050
 */
export type DevFile = {
  readonly base_url: string;
  readonly ads_url: string;
  readonly sandbox_url: string;
  /** Where the operator console is, if it is on. */
  readonly operator_url?: string;
  /** The path of the CA certificate that clients must trust; absent over plain HTTP. */
  readonly tls_ca?: string;
  /** Lets an operator emit any event while the simulator is enabled. */
  readonly operator_token?: string;
} & DemoKeys;

/** The path of the file with addresses and keys. */
export function devFilePath(dataFolder: string): string {
  return join(dataFolder, 'dev.json');
}

/** The addresses and keys written last; undefined when there are none. @throws Error when the file is damaged */
export function readDevFile(dataFolder: string): DevFile | undefined {
  const path = devFilePath(dataFolder);
  if (!existsSync(path)) return undefined;
  const members = membersIn(path);
  if (members?.base_url !== undefined && members.consumer_key !== undefined) return members as unknown as DevFile;
  throw new Error(`${path} does not have addresses and keys; start barker dev, which writes it again`);
}

/** The members of a file that are text; undefined when it is missing or damaged. */
function membersIn(path: string): Record<string, string> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const members = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as object);
    return Object.fromEntries(members.filter(([, value]) => typeof value === 'string'));
  } catch {
    return undefined;
  }
}

/** Writes addresses and keys to a file that only its owner can read. Readers never see a part of it. */
export function writeDevFile(dataFolder: string, file: DevFile): void {
  writePrivately(devFilePath(dataFolder), `${JSON.stringify(file, null, 2)}\n`);
  rmSync(keysPath(dataFolder), { force: true });
}

/** Stores new keys until the addresses are known. */
export function writeKeys(dataFolder: string, keys: object): void {
  writePrivately(keysPath(dataFolder), JSON.stringify(keys));
}

/**
 * The keys written last, with or without addresses: of the present database, or of an earlier one. Undefined when there are
 * none that can be read.
 */
export function readKeys(dataFolder: string): Readonly<Record<string, string>> | undefined {
  const members = membersIn(keysPath(dataFolder)) ?? membersIn(devFilePath(dataFolder));
  if (members?.consumer_key === undefined) return undefined;
  const { base_url, ads_url, sandbox_url, operator_url, tls_ca, operator_token, ...keys } = members;
  return keys;
}

function keysPath(dataFolder: string): string {
  return join(dataFolder, 'keys.json');
}

const MASTER_KEY = 'master.key';

/** The master key of a development folder: created once, and kept beside the database. */
export function ensureMasterKey(dataFolder: string): string {
  return ownSecret(dataFolder, MASTER_KEY);
}

/** The master key of a folder that has one; undefined for any other. */
export function findMasterKey(dataFolder: string): string | undefined {
  return existsSync(join(dataFolder, MASTER_KEY)) ? ensureMasterKey(dataFolder) : undefined;
}

/** The operator token of a development folder: created once. */
export function ensureOperatorToken(dataFolder: string): string {
  return ownSecret(dataFolder, 'operator.token');
}

const SEED = 'seed';

/** The unpredictable seed of a development folder: created once. */
export function ensureOwnSeed(dataFolder: string): number {
  return Number.parseInt(ownSecret(dataFolder, SEED).slice(0, 13), 16);
}

/** The seed of a folder that has one of its own; undefined for any other. */
export function findOwnSeed(dataFolder: string): number | undefined {
  return existsSync(join(dataFolder, SEED)) ? ensureOwnSeed(dataFolder) : undefined;
}

function ownSecret(dataFolder: string, name: string): string {
  const path = join(dataFolder, name);
  if (!existsSync(path)) writePrivately(path, `${secureRandom.bytes(32).toString('hex')}\n`);
  return readFileSync(path, 'utf8').trim();
}

/** Creates the folder if it is missing; other users of the machine cannot read it. */
export function ensureDataFolder(dataFolder: string): void {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
}

const DATABASE = ['barker.db', 'barker.db-wal', 'barker.db-shm'];

/** The text of the world file that a data folder began with. */
export const WORLD_COPY = 'world.yaml';

/** Removes what earlier runs left in the folder: embedded database, used nonces, clock, addresses, keys, its world. */
export function resetDataFolder(dataFolder: string): void {
  for (const name of [...DATABASE, 'dev.json', 'keys.json', SEED, CLOCK_FILE, WORLD_COPY]) {
    rmSync(join(dataFolder, name), { force: true });
  }
  for (const name of ['nonces', 'snapshots']) rmSync(join(dataFolder, name), { recursive: true, force: true });
}

function writePrivately(path: string, content: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
